/* wrap [-w WIDTH] [-i INDENT] [-p PREFIX] [-j] [-s]: fills paragraphs of standard input. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAXWIDTH 100
#define MAXWORD 200

struct layout {
    int width;
    int indent;
    int justify;
    int split;
    const char *prefix;
};

struct line {
    char text[MAXWIDTH + 2];
    int len;
    int words;
    int first;
};

static struct layout layout = {40, 0, 0, 0, ""};

static void usage(void) {
    fprintf(stderr, "usage: wrap [-w WIDTH] [-i INDENT] [-p PREFIX] [-js]\n");
    exit(2);
}

static int in_range(const char *text, int least, int most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > most)
        usage();
    return (int)value;
}

static int room(const struct line *l) {
    int used = (int)strlen(layout.prefix) + (l->first ? layout.indent : 0);
    return layout.width > used ? layout.width - used : 1;
}

/* Spreads the missing blanks over the gaps, from the right. */
static void print_justified(const struct line *l) {
    int gaps = l->words - 1, missing = room(l) - l->len;
    for (int i = 0; i < l->len; i++) {
        putchar(l->text[i]);
        if (l->text[i] == ' ') {
            int extra = missing / gaps;
            if (missing % gaps != 0)
                extra++;
            for (int k = 0; k < extra; k++)
                putchar(' ');
            missing -= extra;
            gaps--;
        }
    }
    putchar('\n');
}

static void flush(struct line *l, int last) {
    if (l->len == 0)
        return;
    fputs(layout.prefix, stdout);
    for (int i = 0; l->first && i < layout.indent; i++)
        putchar(' ');
    l->first = 0;
    if (layout.justify && !last && l->words > 1) {
        print_justified(l);
    } else {
        fwrite(l->text, 1, (size_t)l->len, stdout);
        putchar('\n');
    }
    l->len = 0;
    l->words = 0;
}

static void add(struct line *l, const char *word, int len) {
    if (l->len > 0 && l->len + 1 + len > room(l))
        flush(l, 0);
    while (len > room(l)) {
        int part = room(l);
        if (!layout.split || part < 2) {
            fputs(layout.prefix, stdout);
            printf("%.*s\n", len, word);
            l->first = 0;
            return;
        }
        memcpy(l->text, word, (size_t)part - 1);
        l->text[part - 1] = '-';
        l->len = part;
        l->words = 1;
        flush(l, 1);
        word += part - 1;
        len -= part - 1;
    }
    if (l->len > 0)
        l->text[l->len++] = ' ';
    memcpy(l->text + l->len, word, (size_t)len);
    l->len += len;
    l->words++;
}

static void paragraphs(void) {
    struct line l = {.first = 1};
    char word[MAXWORD];
    int len = 0, newlines = 0, c;
    do {
        c = getchar();
        if (c != EOF && !isspace(c) && len < MAXWORD - 1) {
            if (newlines > 1) {
                flush(&l, 1);
                putchar('\n');
                l.first = 1;
            }
            newlines = 0;
            word[len++] = (char)c;
            continue;
        }
        if (len > 0)
            add(&l, word, len);
        len = 0;
        if (c == '\n')
            newlines++;
    } while (c != EOF);
    flush(&l, 1);
}

int main(int argc, char **argv) {
    int c;
    while ((c = getopt(argc, argv, "w:i:p:js")) != -1) {
        switch (c) {
        case 'w': layout.width = in_range(optarg, 4, MAXWIDTH); break;
        case 'i': layout.indent = in_range(optarg, 0, 20); break;
        case 'p': layout.prefix = optarg; break;
        case 'j': layout.justify = 1; break;
        case 's': layout.split = 1; break;
        default: usage();
        }
    }
    if (optind != argc || strlen(layout.prefix) > 20)
        usage();
    paragraphs();
    return 0;
}
