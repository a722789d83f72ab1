/* config FILE: reads a configuration by a state machine, one character at a time, and prints what it means. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { LINE, SECTION, KEY, BEFORE_VALUE, BARE, QUOTED, ESCAPED, HEX1, HEX2, AFTER_VALUE, COMMENT, CONTINUED };

struct parser {
    enum state state;
    char section[24];
    char key[24];
    char value[80];
    size_t section_len, key_len, value_len;
    int line;
    int hex;
    int errors;
};

static void error(struct parser *p, const char *what) {
    printf("line %d: %s\n", p->line, what);
    p->errors++;
    p->state = COMMENT;
}

static void keep(struct parser *p, char *to, size_t *len, size_t room, int c) {
    if (*len + 1 >= room) {
        error(p, "too long");
        return;
    }
    to[(*len)++] = (char)c;
    to[*len] = '\0';
}

static int is_name(int c) {
    return isalnum(c) || c == '_' || c == '-' || c == '.';
}

static int hex_digit(int c) {
    if (isdigit(c))
        return c - '0';
    if (isxdigit(c))
        return tolower(c) - 'a' + 10;
    return -1;
}

static void setting(struct parser *p) {
    while (p->state == BARE && p->value_len > 0 && isspace((unsigned char)p->value[p->value_len - 1]))
        p->value[--p->value_len] = '\0';
    printf("%s%s%s = <", p->section, p->section_len ? "." : "", p->key);
    for (size_t i = 0; i < p->value_len; i++) {
        unsigned char c = (unsigned char)p->value[i];
        if (isprint(c))
            putchar(c);
        else
            printf("{%02x}", c);
    }
    puts(">");
    p->value_len = 0;
    p->value[0] = '\0';
}

static void in_line(struct parser *p, int c) {
    if (c == '[') {
        p->section_len = 0;
        p->section[0] = '\0';
        p->state = SECTION;
    } else if (c == '#' || c == ';') {
        p->state = COMMENT;
    } else if (is_name(c)) {
        p->key_len = 0;
        p->state = KEY;
        keep(p, p->key, &p->key_len, sizeof p->key, c);
    } else if (!isspace(c)) {
        error(p, "unexpected character");
    }
}

static void in_section(struct parser *p, int c) {
    if (c == ']')
        p->state = p->section_len ? AFTER_VALUE : LINE;
    else if (is_name(c))
        keep(p, p->section, &p->section_len, sizeof p->section, c);
    else
        error(p, "bad section");
}

static void in_key(struct parser *p, int c) {
    if (c == '=' || c == ':')
        p->state = BEFORE_VALUE;
    else if (is_name(c))
        keep(p, p->key, &p->key_len, sizeof p->key, c);
    else if (c != ' ' && c != '\t')
        error(p, "bad key");
}

static void in_escape(struct parser *p, int c) {
    p->state = QUOTED;
    switch (c) {
    case 'n': keep(p, p->value, &p->value_len, sizeof p->value, '\n'); break;
    case 't': keep(p, p->value, &p->value_len, sizeof p->value, '\t'); break;
    case '"':
    case '\\': keep(p, p->value, &p->value_len, sizeof p->value, c); break;
    case 'x': p->state = HEX1; break;
    case '\n': break;
    default: error(p, "bad escape");
    }
}

static void in_hex(struct parser *p, int c) {
    int digit = hex_digit(c);
    if (digit < 0) {
        error(p, "bad hexadecimal escape");
    } else if (p->state == HEX1) {
        p->hex = digit;
        p->state = HEX2;
    } else {
        p->state = QUOTED;
        keep(p, p->value, &p->value_len, sizeof p->value, p->hex * 16 + digit);
    }
}

static void in_value(struct parser *p, int c) {
    switch (p->state) {
    case BEFORE_VALUE:
        if (c == '"') {
            p->state = QUOTED;
        } else if (c == '\n') {
            setting(p);
            p->state = LINE;
        } else if (c != ' ' && c != '\t') {
            p->state = BARE;
            in_value(p, c);
        }
        break;
    case BARE:
        if (c == '\\') {
            p->state = CONTINUED;
        } else if (c == '\n') {
            setting(p);
            p->state = LINE;
        } else if (c == '#' && p->value_len > 0 && isspace((unsigned char)p->value[p->value_len - 1])) {
            setting(p);
            p->state = COMMENT;
        } else {
            keep(p, p->value, &p->value_len, sizeof p->value, c);
        }
        break;
    case CONTINUED:
        p->state = BARE;
        if (c != '\n') {
            keep(p, p->value, &p->value_len, sizeof p->value, '\\');
            in_value(p, c);
        }
        break;
    default:
        break;
    }
}

static void step(struct parser *p, int c) {
    switch (p->state) {
    case LINE: in_line(p, c); break;
    case SECTION: in_section(p, c); break;
    case KEY: in_key(p, c); break;
    case BEFORE_VALUE:
    case BARE:
    case CONTINUED: in_value(p, c); break;
    case QUOTED:
        if (c == '\\') {
            p->state = ESCAPED;
        } else if (c == '"') {
            setting(p);
            p->state = AFTER_VALUE;
        } else if (c == '\n') {
            error(p, "string not ended");
            p->value_len = 0;
            p->state = LINE;
        } else {
            keep(p, p->value, &p->value_len, sizeof p->value, c);
        }
        break;
    case ESCAPED: in_escape(p, c); break;
    case HEX1:
    case HEX2: in_hex(p, c); break;
    case AFTER_VALUE:
        if (c == '\n')
            p->state = LINE;
        else if (c == '#' || c == ';')
            p->state = COMMENT;
        else if (!isspace(c))
            error(p, "trailing text");
        break;
    case COMMENT:
        if (c == '\n')
            p->state = LINE;
        break;
    }
    if (c == '\n')
        p->line++;
}

int main(int argc, char **argv) {
    struct parser p = {.state = LINE, .line = 1};
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    int c;
    if (in == NULL) {
        fprintf(stderr, "usage: config FILE\n");
        return 2;
    }
    while ((c = getc(in)) != EOF)
        step(&p, c);
    if (p.state != LINE)
        step(&p, '\n');
    if (p.state != LINE)
        puts("unexpected end");
    fclose(in);
    return p.errors != 0;
}
