/* Checks a settings file: sections, keys and words are recognised by a trie, character by character. */
#include <stdio.h>

/* A node: the character that leads to it, the next node on the same level, the first node below, the word that ends here. */
struct node { char c; unsigned char next, below, word; };

enum word { NONE, CORE, WRAP, MODE, STRICT, HARD, SOFT, COLOR, ALWAYS, NEVER };

static const struct node trie[] = {
    { 0, 0, 1, 0 },
    { 'c', 5, 2, 0 }, { 'o', 0, 3, 0 }, { 'r', 40, 4, 0 }, { 'e', 0, 0, CORE },
    { 'w', 9, 6, 0 }, { 'r', 0, 7, 0 }, { 'a', 0, 8, 0 }, { 'p', 0, 0, WRAP },
    { 'm', 13, 10, 0 }, { 'o', 0, 11, 0 }, { 'd', 0, 12, 0 }, { 'e', 0, 0, MODE },
    { 's', 22, 14, 0 }, { 't', 19, 15, 0 }, { 'r', 0, 16, 0 }, { 'i', 0, 17, 0 }, { 'c', 0, 18, 0 }, { 't', 0, 0, STRICT },
    { 'o', 0, 20, 0 }, { 'f', 0, 21, 0 }, { 't', 0, 0, SOFT },
    { 'h', 26, 23, 0 }, { 'a', 0, 24, 0 }, { 'r', 0, 25, 0 }, { 'd', 0, 0, HARD },
    { 'a', 32, 27, 0 }, { 'l', 0, 28, 0 }, { 'w', 0, 29, 0 }, { 'a', 0, 30, 0 }, { 'y', 0, 31, 0 }, { 's', 0, 0, ALWAYS },
    { 'n', 0, 33, 0 }, { 'e', 0, 34, 0 }, { 'v', 0, 35, 0 }, { 'e', 0, 36, 0 }, { 'r', 0, 0, NEVER },
    { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 },
    { 'l', 0, 41, 0 }, { 'o', 0, 42, 0 }, { 'r', 0, 0, COLOR },
};

struct settings { int section, strict, wrap, color, lines, errors; };

/* One step down, or the dead end. */
static unsigned step(unsigned node, int c)
{
    unsigned n;
    if (node == 255)
        return 255;
    for (n = trie[node].below; n; n = trie[n].next)
        if (trie[n].c == c)
            return n;
    return 255;
}

static int is_letter(int c) { return c >= 'a' && c <= 'z'; }

/* The word that stands here; NONE for an unknown one. */
static enum word word(const char **at)
{
    unsigned node = 0;
    while (is_letter(**at))
        node = step(node, *(*at)++);
    return node == 255 ? NONE : (enum word)trie[node].word;
}

static void blanks(const char **at) { while (**at == ' ') ++*at; }

static void set(struct settings *s, enum word key, enum word value)
{
    if (s->section == CORE && key == MODE)
        s->strict = value == STRICT;
    else if (s->section == CORE && key == WRAP)
        s->wrap = value == HARD ? 2 : value == SOFT ? 1 : 0;
    else if (key == COLOR)
        s->color = value == ALWAYS ? 2 : value == NEVER ? 0 : 1;
    else
        s->errors++;
}

static void line(struct settings *s, const char *at)
{
    enum word key, value;
    s->lines++;
    blanks(&at);
    if (*at == '#' || *at == 0)
        return;
    if (*at == '[') {
        at++;
        s->section = word(&at);
        if (*at != ']')
            s->errors++;
        return;
    }
    key = word(&at);
    blanks(&at);
    if (*at++ != '=') {
        s->errors++;
        return;
    }
    blanks(&at);
    value = word(&at);
    blanks(&at);
    if (*at)
        s->errors++;
    else
        set(s, key, value);
}

int main(void)
{
    struct settings s = { NONE, 0, 0, 1, 0, 0 };
    char text[64];
    int c, n = 0;
    while ((c = getchar()) != EOF) {
        if (c != '\n' && n < 63) {
            text[n++] = (char)c;
            continue;
        }
        text[n] = 0;
        line(&s, text);
        n = 0;
    }
    printf("%d lines, %d errors\n", s.lines, s.errors);
    if (s.strict && s.wrap == 2)
        printf("lines are cut at 79\n");
    else if (s.wrap)
        printf("lines are wrapped\n");
    return s.strict && s.errors ? 1 : 0;
}
