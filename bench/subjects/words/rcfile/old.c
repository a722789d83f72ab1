/* Reads the settings of an editor: `set NAME`, `set noNAME`, `set NAME=VALUE`, `map KEYS TEXT`, `if NAME` ... `endif`. */
#include <stdio.h>

enum key { SET, MAP, IF, ENDIF, KEYS_OF_LINES };
enum name { TABSTOP, EXPANDTAB, NUMBER, WRAPSCAN, NAMES };

static const char *const commands[KEYS_OF_LINES] = { "set", "map", "if", "endif" };
static const char *const names[NAMES] = { "tabstop", "expandtab", "number", "wrapscan" };

struct option { unsigned short is_set, is_number; int value; };
struct editor {
    struct option options[NAMES];
    int depth, skipping, maps, errors, line;
};

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

static const char *blanks(const char *s) { while (*s == ' ' || *s == '\t') s++; return s; }

/* How many characters of the word stand here; all of them and nothing more, or 0. */
static int matches(const char *s, const char *word)
{
    int i = 0;
    while (word[i] && word[i] == s[i])
        i++;
    return !word[i] && !is_letter(s[i]) ? i : 0;
}

static int find(const char **s, const char *const *words, int count)
{
    int k, n;
    for (k = 0; k < count; k++)
        if ((n = matches(*s, words[k])) > 0) {
            *s += n;
            return k;
        }
    return -1;
}

static void set(struct editor *e, const char *s)
{
    int on = 1, k;
    struct option *option;
    if (s[0] == 'n' && s[1] == 'o' && s[2] != 'u') {
        on = 0;
        s += 2;
    }
    k = find(&s, names, NAMES);
    if (k < 0) {
        e->errors++;
        return;
    }
    option = &e->options[k];
    s = blanks(s);
    if (*s == '=') {
        int value = 0;
        for (s = blanks(s + 1); *s >= '0' && *s <= '9'; s++)
            value = (value * 10 + (*s - '0')) % 1000;
        option->is_number = 1;
        option->value = value;
    }
    option->is_set = (unsigned short)on;
}

static void command(struct editor *e, const char *s)
{
    int k;
    e->line++;
    s = blanks(s);
    if (*s == '"' || *s == 0)
        return;
    k = find(&s, commands, KEYS_OF_LINES);
    s = blanks(s);
    if (k == ENDIF) {
        if (e->depth-- == e->skipping)
            e->skipping = 0;
    } else if (k == IF) {
        e->depth++;
        k = find(&s, names, NAMES);
        if (!e->skipping && (k < 0 || !e->options[k].is_set))
            e->skipping = e->depth;
    } else if (e->skipping)
        return;
    else if (k == SET)
        set(e, s);
    else if (k == MAP)
        e->maps++;
    else
        e->errors++;
}

static int width(const struct editor *e)
{
    const struct option *tab = &e->options[TABSTOP], *expand = &e->options[EXPANDTAB];
    int w = tab->is_number && tab->value ? tab->value : 8;
    if (expand->is_set && tab->is_number && w > 16)
        w = 16;
    return w;
}

int main(void)
{
    struct editor e = { { { 0, 0, 0 } }, 0, 0, 0, 0, 0 };
    char line[80];
    int c, n = 0;
    while ((c = getchar()) != EOF) {
        if (c == '\n') {
            line[n] = 0;
            command(&e, line);
            n = 0;
        } else if (n < 79)
            line[n++] = (char)c;
    }
    printf("%d lines, %d errors, %d maps\n", e.line, e.errors, e.maps);
    printf("width %d%s\n", width(&e), e.options[NUMBER].is_set ? ", numbered" : "");
    return 0;
}
