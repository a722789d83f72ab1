/* getopt.c against the real functions: whole scans, call by call. */
#define _GNU_SOURCE
#include <getopt.h>

#include "harness.h"

extern int MODEL(getopt)(int, char *const *, const char *),
    MODEL(__posix_getopt)(int, char *const *, const char *),
    MODEL(getopt_long)(int, char *const *, const char *, const struct option *, int *),
    MODEL(getopt_long_only)(int, char *const *, const char *, const struct option *, int *);
extern int __posix_getopt(int, char *const *, const char *);

enum { WORDS = 9, STEPS = 60 };

typedef int stepper(int, char *const *, const char *, const struct option *, int *);

#define SHORT_STEPPERS(name)                                                                    \
    static int real_##name(int c, char *const *v, const char *s, const struct option *o, int *i) { \
        (void)o, (void)i;                                                                       \
        return name(c, v, s);                                                                   \
    }                                                                                           \
    static int model_##name(int c, char *const *v, const char *s, const struct option *o, int *i) { \
        (void)o, (void)i;                                                                       \
        return MODEL(name)(c, v, s);                                                            \
    }
SHORT_STEPPERS(getopt)
SHORT_STEPPERS(__posix_getopt)

static int flag_a, flag_b;

static char *any_word(int slot) {
    static const char *const words[] = {
        "-a",  "-b",    "-abc",      "-b1",     "-c",     "-cx",      "-d",   "--",       "-",
        "x",   "",      "yy",        "-:",      "-;",     "-Wfoo",    "-W",   "-Wfoo=1",  "foo",
        "foo=", "--foo", "--foo=",   "--foo=1", "--fo",   "--f",      "--b",  "--ba=2",   "--bar",
        "--baz", "--barn", "--none", "--none=3", "--n",   "--",       "-foo", "-fo",      "-ba=7",
        "-baz", "-z",   "-e\xff",    "--=",     "--=x",   "-Wnone=1", "-Wba", "--option", "--opt=",
    };
    const char *word = PICK(words);
    return once_in(12) ? string_of(slot, 6, "-abW=f:") : guarded_copy(slot, word, strlen(word) + 1);
}

static const char *any_shorts(void) {
    static const char *const shorts[] = {"abc",   "ab:c::", "W;ab:", "fb:c::d", "",  "a:W;c",
                                         "f:o::", "e\xff:", "a;b",   "bW;",     "W;:"};
    static const char *const leads[] = {"", "", "", "+", "-", ":", "+:", "-:"};
    static char text[30];
    snprintf(text, sizeof text, "%s%s", PICK(leads), PICK(shorts));
    return text;
}

static const struct option *any_longs(void) {
    static const char *const names[] = {"foo",  "foobar", "bar", "baz",  "barn",
                                        "none", "option", "ba",  "nine", "f"};
    static struct option longs[8];
    size_t n = below(8);
    for (size_t i = 0; i < n; i++) {
        int same = once_in(3);
        longs[i].name = PICK(names);
        longs[i].has_arg = same ? 1 : (int)below(3);
        longs[i].flag = same || once_in(2) ? NULL : once_in(2) ? &flag_a : &flag_b;
        longs[i].val = same ? 'v' : (int)below(300);
    }
    memset(&longs[n], 0, sizeof *longs);
    return longs;
}

struct record {
    int result, index, optind, optopt, flag_a, flag_b;
    const char *optarg;
};

struct outcome {
    struct record steps[STEPS];
    int n;
    char *argv[WORDS + 2];
    const char *message;
};

/* One scan to its end; some callers change optind in between, as programs do. */
static void scan(struct outcome *o, stepper *step, int argc, char **argv, const char *shorts,
                 const struct option *longs, int start) {
    memcpy(o->argv, argv, sizeof o->argv);
    flag_a = flag_b = -1;
    optind = start;
    capture(2);
    for (o->n = 0; o->n < STEPS;) {
        int index = -1;
        struct record *r = &o->steps[o->n++];
        r->result = step(argc, o->argv, shorts, longs, &index);
        r->index = index, r->optind = optind, r->optopt = optopt, r->optarg = optarg;
        r->flag_a = flag_a, r->flag_b = flag_b;
        if (r->result == -1)
            break;
    }
    o->message = captured();
}

static void compare(const struct outcome *r, const struct outcome *m) {
    check_long("number of calls", r->n, m->n);
    for (int i = 0; i < r->n && i < m->n; i++) {
        const struct record *a = &r->steps[i], *b = &m->steps[i];
        check_long("result", a->result, b->result);
        check_long("longindex", a->index, b->index);
        check_long("optind", a->optind, b->optind);
        check_long("optopt", a->optopt, b->optopt);
        check_long("flag", a->flag_a, b->flag_a);
        check_long("other flag", a->flag_b, b->flag_b);
        check_place("optarg", a->optarg, NULL, b->optarg, NULL);
    }
    for (int i = 0; i < WORDS + 2; i++)
        check_place("argv", r->argv[i], NULL, m->argv[i], NULL);
    check_text("message", r->message, m->message);
}

static void scan_both(stepper *real, stepper *model, int style) {
    char *argv[WORDS + 2] = {(char *)"prog"};
    int argc = once_in(50) ? 0 : 1 + (int)below(WORDS);
    for (int i = 1; i < argc; i++)
        argv[i] = any_word(i);
    argv[argc] = NULL;
    const char *shorts = any_shorts();
    const struct option *longs = any_longs();
    static struct outcome r, m;
    int start = once_in(4) && argc ? 1 : 0;
    opterr = !once_in(4);
    if (once_in(5))
        setenv("POSIXLY_CORRECT", "1", 1);
    scan(&r, real, argc, argv, shorts, longs, start);
    unsigned recorded = hook_options;
    scan(&m, model, argc, argv, shorts, longs, start);
    compare(&r, &m);
    if (start == 0 && argc) {
        check_long("option tables recorded", 1, hook_options - recorded);
        check_long("style recorded", style, hook_options_style);
    }
    unsetenv("POSIXLY_CORRECT");
}

TEST(getopt) {
    scan_both(real_getopt, model_getopt, 0);
}

TEST(__posix_getopt) {
    scan_both(real___posix_getopt, model___posix_getopt, 0);
}

TEST(getopt_long) {
    scan_both(getopt_long, MODEL(getopt_long), 1);
}

TEST(getopt_long_only) {
    scan_both(getopt_long_only, MODEL(getopt_long_only), 2);
}
