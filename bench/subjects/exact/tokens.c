/* Splits standard input into the tokens of a small language and counts them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum token { END, NAME, KEYWORD, NUMBER, STRING, SYMBOL, BAD };
static const char *const names[] = {"end", "name", "keyword", "number", "string", "symbol", "bad"};
static const char *const keywords[] = {"if", "else", "while", "return", "int"};

static char text[64];

static int is_keyword(void) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(text, keywords[i]) == 0)
            return 1;
    return 0;
}

static enum token word(int c) {
    size_t n = 0;
    do {
        if (n < sizeof text - 1)
            text[n++] = (char)c;
        c = getchar();
    } while (isalnum(c) || c == '_');
    text[n] = '\0';
    ungetc(c, stdin);
    return is_keyword() ? KEYWORD : NAME;
}

static enum token number(int c) {
    unsigned value = 0;
    int base = 10;
    if (c == '0') {
        c = getchar();
        base = c == 'x' ? 16 : 8;
        if (c == 'x')
            c = getchar();
    }
    while (isxdigit(c)) {
        int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (digit >= base)
            return BAD;
        value = value * (unsigned)base + (unsigned)digit;
        c = getchar();
    }
    ungetc(c, stdin);
    snprintf(text, sizeof text, "%u", value);
    return NUMBER;
}

static enum token quoted(void) {
    size_t n = 0;
    for (int c; (c = getchar()) != '"';) {
        if (c == EOF || c == '\n')
            return BAD;
        if (c == '\\') {
            c = getchar();
            switch (c) {
            case 'n': c = '\n'; break;
            case 't': c = '\t'; break;
            case '\\': case '"': break;
            default: return BAD;
            }
        }
        if (n < sizeof text - 1)
            text[n++] = (char)c;
    }
    text[n] = '\0';
    return STRING;
}

static enum token next(void) {
    int c;
    while ((c = getchar()) != EOF) {
        if (isspace(c))
            continue;
        if (c == '#') {
            while ((c = getchar()) != EOF && c != '\n') {}
            continue;
        }
        if (isalpha(c) || c == '_')
            return word(c);
        if (isdigit(c))
            return number(c);
        if (c == '"')
            return quoted();
        text[0] = (char)c;
        text[1] = '\0';
        return ispunct(c) ? SYMBOL : BAD;
    }
    return END;
}

int main(void) {
    int counts[BAD + 1] = {0};
    for (enum token t; (t = next()) != END;) {
        counts[t]++;
        if (t == KEYWORD || t == NUMBER)
            printf("%s %s\n", names[t], text);
        if (t == BAD)
            return 1;
    }
    printf("%d names, %d symbols\n", counts[NAME], counts[SYMBOL]);
    return 0;
}
