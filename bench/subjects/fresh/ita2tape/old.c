/* ita2tape - read a five-hole paper tape drawn as text
 *
 * usage: ita2tape [-a] [-u] < tape
 *   -a  American (TTY) figures instead of ITA2
 *   -u  space returns to letters (unshift on space)
 *
 * One row per line, five characters, 'o' is a hole and '.' is none, highest
 * bit first; anything after the fifth column is a remark.  Empty lines and
 * lines beginning with # are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LTRS 0x1f
#define FIGS 0x1b
#define BELL '\a'
#define WRU  5

static const char letters[33] =
    "\0E\nA SIU"
    "\rDRJNFCK"
    "TZLWHYPQ"
    "OBG\0MXV\0";

static const char ita2_figures[33] =
    "\0" "3\n- '87"
    "\r" "\005" "4\a,!:("
    "5+)2#601"
    "9?&\0./=\0";

struct override {
    unsigned char code;
    char figure;
};

/* where the American figures differ */
static const struct override american[] = {
    { 0x05, BELL },
    { 0x09, '$' },
    { 0x0b, '\'' },
    { 0x1e, ';' },
    { 0x11, '"' },
    { 0xff, 0 },
};

static char figures[32];

static void setup_figures(int use_american)
{
    size_t i;

    memcpy(figures, ita2_figures, sizeof figures);
    if (!use_american)
        return;
    for (i = 0; i < sizeof american / sizeof american[0] - 1; i++)
        figures[american[i].code] = american[i].figure;
}

static int row_code(const char *s)
{
    int i, code = 0;

    for (i = 0; i < 5; i++) {
        if (s[i] != 'o' && s[i] != '.')
            return -1;
        code = code << 1 | (s[i] == 'o');
    }
    return code;
}

static void print_char(int c)
{
    switch (c) {
    case 0:
        break;
    case BELL:
        printf("<BELL>");
        break;
    case WRU:
        printf("<WRU>");
        break;
    case '\r':
        break;
    default:
        putchar(c);
    }
}

int main(int argc, char **argv)
{
    char line[128];
    int i, code, shifted = 0, use_american = 0, unshift = 0;
    int lineno = 0, count = 0;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-a") == 0) {
            use_american = 1;
        } else if (strcmp(argv[i], "-u") == 0) {
            unshift = 1;
        } else {
            fprintf(stderr, "usage: ita2tape [-a] [-u] < tape\n");
            return 2;
        }
    }
    setup_figures(use_american);

    while (fgets(line, sizeof line, stdin)) {
        lineno++;
        if (line[0] == '\n' || line[0] == '#')
            continue;
        code = row_code(line);
        if (code < 0) {
            fprintf(stderr, "ita2tape: line %d: bad row\n", lineno);
            return 1;
        }
        count++;
        if (code == LTRS) {
            shifted = 0;
        } else if (code == FIGS) {
            shifted = 1;
        } else {
            int c = shifted ? figures[code] : letters[code];

            print_char(c);
            if (c == ' ' && unshift)
                shifted = 0;
        }
    }
    printf("\n[%d rows%s]\n", count, shifted ? ", figures" : "");
    return 0;
}
