/* Prints the tokens of a small language on standard input, one a line, with their kinds. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { END, KEYWORD, NAME, INTEGER, FLOATING, STRING, CHARACTER, OPERATOR, ERROR };

static const char *kinds[] = {"end", "keyword", "name", "integer", "float", "string", "character", "operator", "error"};
static const char *keywords[] = {"and", "define", "else", "if", "lambda", "or", "while", "xor"};

struct lexer {
    char text[128];
    int len;
    int pushed;
    int has_pushed;
    int line;
};

static int next(struct lexer *l) {
    int c;
    if (l->has_pushed) {
        l->has_pushed = 0;
        c = l->pushed;
    } else {
        c = getchar();
    }
    if (c == '\n')
        l->line++;
    return c;
}

static void back(struct lexer *l, int c) {
    if (c == '\n')
        l->line--;
    l->pushed = c;
    l->has_pushed = 1;
}

static void keep(struct lexer *l, int c) {
    if (l->len < (int)sizeof l->text - 1)
        l->text[l->len++] = (char)c;
    l->text[l->len] = '\0';
}

static int skip_blanks(struct lexer *l) {
    int c = next(l);
    for (;;) {
        while (isspace(c))
            c = next(l);
        if (c != ';')
            return c;
        while (c != '\n' && c != EOF)
            c = next(l);
    }
}

static int digits(struct lexer *l, int c, int *count) {
    *count = 0;
    while (isdigit(c)) {
        keep(l, c);
        (*count)++;
        c = next(l);
    }
    return c;
}

static enum kind hexadecimal(struct lexer *l) {
    int count = 0, c = next(l);
    while (isxdigit(c)) {
        keep(l, c);
        count++;
        c = next(l);
    }
    back(l, c);
    return count == 0 || count > 8 ? ERROR : INTEGER;
}

static enum kind number(struct lexer *l, int c) {
    int count;
    enum kind kind = INTEGER;
    if (c == '0') {
        keep(l, c);
        c = next(l);
        if (c == 'x' || c == 'X') {
            keep(l, c);
            return hexadecimal(l);
        }
    }
    c = digits(l, c, &count);
    if (c == '.') {
        keep(l, c);
        c = digits(l, next(l), &count);
        if (count == 0) {
            back(l, c);
            return ERROR;
        }
        kind = FLOATING;
    }
    if (c == 'e' || c == 'E') {
        keep(l, c);
        c = next(l);
        if (c == '+' || c == '-') {
            keep(l, c);
            c = next(l);
        }
        c = digits(l, c, &count);
        kind = count == 0 || count > 3 ? ERROR : FLOATING;
    }
    back(l, c);
    return isalpha(c) ? ERROR : kind;
}

static enum kind word(struct lexer *l, int c) {
    while (isalnum(c) || c == '_' || c == '-') {
        keep(l, c);
        c = next(l);
    }
    back(l, c);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(l->text, keywords[i]) == 0)
            return KEYWORD;
    return NAME;
}

static int escape(struct lexer *l) {
    int c = next(l);
    switch (c) {
    case 'n': keep(l, '\n'); return 1;
    case 't': keep(l, '\t'); return 1;
    case '\\':
    case '"': keep(l, c); return 1;
    case '\'': keep(l, c); return 1;
    default: return 0;
    }
}

static enum kind string(struct lexer *l) {
    int c, good = 1;
    while ((c = next(l)) != '"') {
        if (c == EOF || c == '\n')
            return ERROR;
        if (c == '\\')
            good &= escape(l);
        else
            keep(l, c);
    }
    return good ? STRING : ERROR;
}

static enum kind character(struct lexer *l) {
    int c = next(l);
    if (c == '\\') {
        if (!escape(l))
            return ERROR;
    } else if (c == '\'' || c == '\n' || c == EOF) {
        return ERROR;
    } else {
        keep(l, c);
    }
    c = next(l);
    if (c == '\'')
        return CHARACTER;
    back(l, c);
    return ERROR;
}

static enum kind operator(struct lexer *l, int c) {
    int second;
    keep(l, c);
    if (strchr("()[],+-*/", c))
        return OPERATOR;
    if (!strchr("<>=!", c))
        return ERROR;
    second = next(l);
    if (second == '=' || (c == '<' && second == '>'))
        keep(l, second);
    else
        back(l, second);
    return c == '!' && l->len == 1 ? ERROR : OPERATOR;
}

static enum kind token(struct lexer *l) {
    int c = skip_blanks(l);
    l->len = 0;
    l->text[0] = '\0';
    if (c == EOF)
        return END;
    if (isdigit(c))
        return number(l, c);
    if (isalpha(c))
        return word(l, c);
    if (c == '"')
        return string(l);
    if (c == '\'')
        return character(l);
    return c ? operator(l, c) : ERROR;
}

int main(void) {
    struct lexer l = {.line = 1};
    int errors = 0;
    enum kind kind;
    while ((kind = token(&l)) != END) {
        printf("%d %s \"%s\"\n", l.line, kinds[kind], l.text);
        if (kind == ERROR && ++errors == 10) {
            puts("too many errors");
            return 1;
        }
    }
    return errors != 0;
}
