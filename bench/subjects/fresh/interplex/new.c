/* interplex - token listing for a small template language.
 *
 * Reads a program on standard input and prints one token per line.  Strings
 * may contain ${ ... } with arbitrary tokens inside, strings included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXIN 4096
#define MAXNEST 8

enum tok {
    T_EOF, T_IDENT, T_KEYWORD, T_INT, T_FLOAT, T_OP, T_LBRACE, T_RBRACE,
    T_TEXT, T_STRBEG, T_STREND, T_ENTER, T_LEAVE, T_ERROR
};

static const char *const tok_name[] = {
    "eof", "ident", "keyword", "int", "float", "op", "lbrace", "rbrace",
    "text", "strbeg", "strend", "enter", "leave", "error"
};

static const char *const keywords[] = { "if", "else", "for", "let", "end", 0 };

static const char *const ops[] = {
    "<<=", "...", "==", "!=", "<=", ">=", "&&", "||", "..", "<<", "->",
    "+", "-", "*", "/", "%", "<", ">", "=", "!", "(", ")", "[", "]",
    ",", ";", ":", ".", "|", "&", 0
};

struct lexer {
    const char *p;
    int line;
    int in_string;              /* inside string text */
    int level;                  /* number of open ${ */
    int braces;                 /* plain { open at this level */
    int saved[MAXNEST];         /* braces of the outer levels */
    const char *start;
    int len;
    const char *why;
};

static enum tok fail(struct lexer *lx, const char *why)
{
    lx->why = why;
    return T_ERROR;
}

static enum tok number(struct lexer *lx)
{
    enum tok t = T_INT;

    if (lx->p[0] == '0' && (lx->p[1] == 'x' || lx->p[1] == 'X')) {
        lx->p += 2;
        if (!isxdigit((unsigned char)*lx->p))
            return fail(lx, "bad hex number");
        while (isxdigit((unsigned char)*lx->p))
            lx->p++;
        return T_INT;
    }
    while (isdigit((unsigned char)*lx->p))
        lx->p++;
    if (lx->p[0] == '.' && isdigit((unsigned char)lx->p[1])) {
        t = T_FLOAT;
        lx->p++;
        while (isdigit((unsigned char)*lx->p))
            lx->p++;
    }
    if (*lx->p == 'e' || *lx->p == 'E') {
        const char *q = lx->p + 1;

        if (*q == '+' || *q == '-')
            q++;
        if (isdigit((unsigned char)*q)) {
            t = T_FLOAT;
            while (isdigit((unsigned char)*q))
                q++;
            lx->p = q;
        }
    }
    return t;
}

static enum tok string_text(struct lexer *lx)
{
    if (*lx->p == '"') {
        lx->p++;
        lx->in_string = 0;
        return T_STREND;
    }
    if (lx->p[0] == '$' && lx->p[1] == '{') {
        lx->p += 2;
        if (lx->level == MAXNEST)
            return fail(lx, "interpolation too deep");
        lx->saved[lx->level++] = lx->braces;
        lx->braces = 0;
        lx->in_string = 0;
        return T_ENTER;
    }
    while (*lx->p != '"' && !(lx->p[0] == '$' && lx->p[1] == '{')) {
        if (*lx->p == '\0' || *lx->p == '\n')
            return fail(lx, "unterminated string");
        if (*lx->p == '\\') {
            lx->p++;
            if (*lx->p == '\0' || strchr("nt\\\"$", *lx->p) == NULL)
                return fail(lx, "bad escape");
        }
        lx->p++;
    }
    return T_TEXT;
}

static enum tok close_brace(struct lexer *lx)
{
    if (lx->level > 0 && lx->braces == 0) {
        lx->level--;
        lx->braces = 0;
        lx->in_string = 1;
        return T_LEAVE;
    }
    if (lx->level > 0)
        lx->braces--;
    return T_RBRACE;
}

static int skip_blank(struct lexer *lx)
{
    for (;;) {
        if (*lx->p == '\n')
            lx->line++;
        if (*lx->p != '\0' && isspace((unsigned char)*lx->p)) {
            lx->p++;
        } else if (*lx->p == '#') {
            while (*lx->p != '\0' && *lx->p != '\n')
                lx->p++;
        } else if (lx->p[0] == '/' && lx->p[1] == '*') {
            const char *q = strstr(lx->p + 2, "*/");

            if (q == NULL)
                return -1;
            for (; lx->p < q; lx->p++)
                if (*lx->p == '\n')
                    lx->line++;
            lx->p += 2;
        } else {
            return 0;
        }
    }
}

static enum tok next(struct lexer *lx)
{
    int i;

    if (lx->in_string) {
        lx->start = lx->p;
        return string_text(lx);
    }
    if (skip_blank(lx) < 0)
        return fail(lx, "unterminated comment");
    lx->start = lx->p;
    if (*lx->p == '\0')
        return lx->level > 0 ? fail(lx, "end of input in ${") : T_EOF;
    if (isdigit((unsigned char)*lx->p))
        return number(lx);
    if (isalpha((unsigned char)*lx->p) || *lx->p == '_') {
        while (isalnum((unsigned char)*lx->p) || *lx->p == '_')
            lx->p++;
        lx->len = (int)(lx->p - lx->start);
        for (i = 0; keywords[i]; i++)
            if ((int)strlen(keywords[i]) == lx->len
                && memcmp(keywords[i], lx->start, lx->len) == 0)
                return T_KEYWORD;
        return T_IDENT;
    }
    if (*lx->p == '"') {
        lx->p++;
        lx->in_string = 1;
        return T_STRBEG;
    }
    if (*lx->p == '{') {
        lx->p++;
        if (lx->level > 0)
            lx->braces++;
        return T_LBRACE;
    }
    if (*lx->p == '}') {
        lx->p++;
        return close_brace(lx);
    }
    for (i = 0; ops[i]; i++)
        if (strncmp(lx->p, ops[i], strlen(ops[i])) == 0) {
            lx->p += strlen(ops[i]);
            return T_OP;
        }
    return fail(lx, "stray character");
}

int main(void)
{
    static char buf[MAXIN + 1];
    struct lexer lx;
    enum tok t;

    buf[fread(buf, 1, MAXIN, stdin)] = '\0';
    memset(&lx, 0, sizeof lx);
    lx.p = buf;
    lx.line = 1;
    while ((t = next(&lx)) != T_EOF && t != T_ERROR) {
        lx.len = (int)(lx.p - lx.start);
        printf("%d %s %.*s\n", lx.line, tok_name[t], lx.len, lx.start);
    }
    if (t == T_ERROR) {
        fprintf(stderr, "line %d: %s\n", lx.line, lx.why);
        return 1;
    }
    return 0;
}
