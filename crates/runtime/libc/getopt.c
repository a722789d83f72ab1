/* Models of getopt __posix_getopt getopt_long getopt_long_only.
 *
 * In: as the C library's; the library's own optarg, optind, opterr and optopt. Out: the same
 * results, permutation of argv, and messages, which go through the model of fprintf so that they
 * are output events. The option table is recorded once for every scan.
 * Always: argv is permuted only in whole: at any time it holds the options seen, then the
 * non-options skipped (first_skipped..after_skipped), then what is still to be seen.
 * Departs: the place within a group of short options is kept here, not in the library, so a program
 * that mixes modelled and unmodelled calls in one scan would be surprised.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <libintl.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

extern int MODEL(fprintf)(FILE *stream, const char *format, ...);
extern char *MODEL(strchr)(const char *s, int c);

enum style { SHORT, LONG, LONG_ONLY };
enum order { PERMUTE, STOP_AT_OPERAND, OPERANDS_ARE_OPTIONS };

/* What survives from call to call. The library copies its own optarg and optopt out after every
 * call, also where it did not set them; so must we. */
static struct {
    int started;
    enum order order;
    char *rest;
    int first_skipped, after_skipped;
    char *arg;
    int opt;
} scan;

/* What belongs to one call. */
struct call {
    int argc;
    char **argv;
    const char *shorts;
    const struct option *longs;
    int *index;
    enum style style;
    int loud;
};

#define SAY(message, ...) MODEL(fprintf)(stderr, dgettext("libc", message), __VA_ARGS__)

static int missing_argument(const struct call *c) {
    return c->shorts[0] == ':' ? ':' : '?';
}

static int is_operand(const char *s) {
    return s[0] != '-' || s[1] == 0;
}

static int ends_options(const char *s) {
    return s[0] == '-' && s[1] == '-' && s[2] == 0;
}

static void start(const struct call *c, int posix) {
    if (optind == 0)
        optind = 1;
    scan.first_skipped = scan.after_skipped = optind;
    scan.rest = NULL;
    scan.started = 1;
    if (c->shorts[0] == '-')
        scan.order = OPERANDS_ARE_OPTIONS;
    else if (c->shorts[0] == '+' || posix || getenv("POSIXLY_CORRECT"))
        scan.order = STOP_AT_OPERAND;
    else
        scan.order = PERMUTE;
    __plx_options(c->style, c->shorts, c->longs);
}

static void reverse(char **argv, int from, int to) {
    while (from < --to) {
        char *kept = argv[from];
        argv[from++] = argv[to];
        argv[to] = kept;
    }
}

/* Moves the skipped operands behind the options seen since: three reversals rotate the range. */
static void move_skipped(char **argv) {
    reverse(argv, scan.first_skipped, scan.after_skipped);
    reverse(argv, scan.after_skipped, optind);
    reverse(argv, scan.first_skipped, optind);
    scan.first_skipped += optind - scan.after_skipped;
    scan.after_skipped = optind;
}

/* All matches of an ambiguous abbreviation, as far as they count against the first. */
static void say_ambiguous(const struct call *c, const char *prefix, size_t size, int first) {
    const struct option *longs = c->longs, *f = &longs[first];
    SAY("%s: option '%s%s' is ambiguous; possibilities:", c->argv[0], prefix, scan.rest);
    for (int i = 0; longs[i].name; i++) {
        const struct option *o = &longs[i];
        int other = c->style == LONG_ONLY || o->has_arg != f->has_arg || o->flag != f->flag ||
                    o->val != f->val;
        if (i == first || (i > first && other && strncmp(o->name, scan.rest, size) == 0))
            MODEL(fprintf)(stderr, " '%s%s'", prefix, o->name);
    }
    MODEL(fprintf)(stderr, "\n");
}

/* Does this name begin with the `size` bytes at scan.rest, which hold no terminator? The answer is
 * concrete: the branches are taken here, and not again by the caller. */
static int begins_so(const char *name, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (name[i] != scan.rest[i])
            return 0;
    return 1;
}

enum { NO_MATCH = -1, AMBIGUOUS = -2 };

/* The index of the option that the `size` bytes at scan.rest name or abbreviate. */
static int match(const struct call *c, const char *prefix, size_t size) {
    const struct option *longs = c->longs;
    for (int i = 0; longs[i].name; i++)
        if (begins_so(longs[i].name, size) && longs[i].name[size] == 0)
            return i;
    int found = NO_MATCH, ambiguous = 0;
    for (int i = 0; longs[i].name; i++) {
        if (!begins_so(longs[i].name, size))
            continue;
        if (found == NO_MATCH)
            found = i;
        else if (c->style == LONG_ONLY || longs[found].has_arg != longs[i].has_arg ||
                 longs[found].flag != longs[i].flag || longs[found].val != longs[i].val)
            ambiguous = 1;
    }
    if (!ambiguous)
        return found;
    if (c->loud)
        say_ambiguous(c, prefix, size, found);
    return AMBIGUOUS;
}

/* An option was recognised; `value` is what follows its '=', or null. */
static int take_long(const struct call *c, const char *prefix, int found, char *value) {
    const struct option *o = &c->longs[found];
    optind++;
    scan.rest = NULL;
    if (value && !o->has_arg) {
        if (c->loud)
            SAY("%s: option '%s%s' doesn't allow an argument\n", c->argv[0], prefix, o->name);
        scan.opt = o->val;
        return '?';
    }
    if (value) {
        scan.arg = value;
    } else if (o->has_arg == 1) {
        if (optind >= c->argc) {
            if (c->loud)
                SAY("%s: option '%s%s' requires an argument\n", c->argv[0], prefix, o->name);
            scan.opt = o->val;
            return missing_argument(c);
        }
        scan.arg = c->argv[optind++];
    }
    if (c->index)
        *c->index = found;
    if (!o->flag)
        return o->val;
    *o->flag = o->val;
    return 0;
}

/* scan.rest is the name of a long option, perhaps with =VALUE. -1: it may be short ones instead. */
static int long_option(const struct call *c, const char *prefix) {
    size_t size = 0;
    while (scan.rest[size] && scan.rest[size] != '=')
        size++;
    int found = match(c, prefix, size);
    if (found >= 0)
        return take_long(c, prefix, found, scan.rest[size] ? scan.rest + size + 1 : NULL);
    if (found == NO_MATCH && c->style == LONG_ONLY && c->argv[optind][1] != '-' &&
        MODEL(strchr)(c->shorts, *scan.rest))
        return -1;
    if (found == NO_MATCH && c->loud)
        SAY("%s: unrecognized option '%s%s'\n", c->argv[0], prefix, scan.rest);
    scan.rest = NULL;
    optind++;
    scan.opt = 0;
    return '?';
}

/* The argument of a short option: what is left of this word, or the next word. */
static int short_argument(const struct call *c, int letter, int optional) {
    if (*scan.rest) {
        scan.arg = scan.rest;
        optind++;
    } else if (!optional) {
        if (optind == c->argc) {
            if (c->loud)
                SAY("%s: option requires an argument -- '%c'\n", c->argv[0], letter);
            scan.opt = letter;
            letter = missing_argument(c);
        } else {
            scan.arg = c->argv[optind++];
        }
    }
    scan.rest = NULL;
    return letter;
}

/* -W name: as --name. */
static int w_option(struct call c) {
    if (!*scan.rest) {
        if (optind == c.argc) {
            if (c.loud)
                SAY("%s: option requires an argument -- '%c'\n", c.argv[0], 'W');
            scan.opt = 'W';
            return missing_argument(&c);
        }
        scan.rest = c.argv[optind];
    }
    c.style = LONG;
    return long_option(&c, "-W ");
}

static int short_option(const struct call *c) {
    char letter = *scan.rest++;
    const char *known = MODEL(strchr)(c->shorts, letter);
    if (!*scan.rest)
        optind++;
    if (!known || letter == ':' || letter == ';') {
        if (c->loud)
            SAY("%s: invalid option -- '%c'\n", c->argv[0], letter);
        scan.opt = letter;
        return '?';
    }
    if (known[0] == 'W' && known[1] == ';' && c->longs)
        return w_option(*c);
    if (known[1] == ':')
        return short_argument(c, letter, known[2] == ':');
    return letter;
}

/* Finds the next word that holds options. 0: scan.rest is its first letter; otherwise what
 * getopt returns, done with the word or the scan. */
static int next_word(const struct call *c) {
    char **argv = c->argv;
    if (scan.after_skipped > optind)
        scan.after_skipped = optind;
    if (scan.first_skipped > optind)
        scan.first_skipped = optind;
    if (scan.order == PERMUTE) {
        if (scan.first_skipped != scan.after_skipped && scan.after_skipped != optind)
            move_skipped(argv);
        else if (scan.after_skipped != optind)
            scan.first_skipped = optind;
        while (optind < c->argc && is_operand(argv[optind]))
            optind++;
        scan.after_skipped = optind;
    }
    if (optind != c->argc && ends_options(argv[optind])) {
        optind++;
        if (scan.first_skipped != scan.after_skipped && scan.after_skipped != optind)
            move_skipped(argv);
        else if (scan.first_skipped == scan.after_skipped)
            scan.first_skipped = optind;
        scan.after_skipped = optind = c->argc;
    }
    if (optind == c->argc) {
        if (scan.first_skipped != scan.after_skipped)
            optind = scan.first_skipped;
        return -1;
    }
    if (is_operand(argv[optind])) {
        if (scan.order == STOP_AT_OPERAND)
            return -1;
        scan.arg = argv[optind++];
        return 1;
    }
    scan.rest = argv[optind] + 1;
    return 0;
}

/* A new word may be a long option. 0 would be a flag that was set, so the answer comes apart. */
static int try_long(const struct call *c, int *result) {
    const char *word = c->argv[optind];
    if (!c->longs)
        return 0;
    if (word[1] == '-') {
        scan.rest++;
        *result = long_option(c, "--");
        return 1;
    }
    if (c->style != LONG_ONLY || !(word[2] || !MODEL(strchr)(c->shorts, word[1])))
        return 0;
    *result = long_option(c, "-");
    return *result != -1;
}

static int step(struct call *c, int posix) {
    scan.arg = NULL;
    if (optind == 0 || !scan.started)
        start(c, posix);
    if (c->shorts[0] == '-' || c->shorts[0] == '+')
        c->shorts++;
    c->loud = opterr && c->shorts[0] != ':';
    if (!scan.rest || !*scan.rest) {
        int result = next_word(c);
        if (result != 0 || try_long(c, &result))
            return result;
    }
    return short_option(c);
}

static int get_option(struct call c, int posix) {
    int result = c.argc < 1 ? -1 : step(&c, posix);
    optarg = scan.arg;
    optopt = scan.opt;
    return result;
}

int MODEL(getopt)(int argc, char *const *argv, const char *shorts) {
    return get_option((struct call){argc, (char **)argv, shorts, NULL, NULL, SHORT, 0}, 0);
}

int MODEL(__posix_getopt)(int argc, char *const *argv, const char *shorts) {
    return get_option((struct call){argc, (char **)argv, shorts, NULL, NULL, SHORT, 0}, 1);
}

int MODEL(getopt_long)(int argc, char *const *argv, const char *shorts,
                       const struct option *longs, int *index) {
    return get_option((struct call){argc, (char **)argv, shorts, longs, index, LONG, 0}, 0);
}

int MODEL(getopt_long_only)(int argc, char *const *argv, const char *shorts,
                            const struct option *longs, int *index) {
    return get_option((struct call){argc, (char **)argv, shorts, longs, index, LONG_ONLY, 0}, 0);
}
