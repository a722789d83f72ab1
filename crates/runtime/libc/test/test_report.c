/* report.c against the real functions: what reaches standard error, and how the process ends. */
#define _GNU_SOURCE
#include "hooks_io.h"
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

void MODEL(perror)(const char *), MODEL(error)(int, int, const char *, ...),
    MODEL(error_at_line)(int, int, const char *, unsigned, const char *, ...),
    MODEL(warn)(const char *, ...), MODEL(warnx)(const char *, ...),
    MODEL(err)(int, const char *, ...), MODEL(errx)(int, const char *, ...),
    MODEL(vwarn)(const char *, va_list), MODEL(vwarnx)(const char *, va_list),
    MODEL(verr)(int, const char *, va_list), MODEL(verrx)(int, const char *, va_list),
    MODEL(psignal)(int, const char *);

/* Both with the same errno; the model's bytes must be in its output events as well. */
#define SAME_MESSAGE(real, model)                                                                  \
    do {                                                                                           \
        int number = (int)below(140);                                                              \
        capture(2);                                                                                \
        errno = number;                                                                            \
        real;                                                                                      \
        int real_errno = errno;                                                                    \
        const char *expected = captured();                                                         \
        record_output(2);                                                                          \
        capture(2);                                                                                \
        errno = number;                                                                            \
        model;                                                                                     \
        int model_errno = errno;                                                                   \
        const char *text = captured();                                                             \
        size_t told;                                                                               \
        const char *events = recorded_output(&told);                                               \
        record_output(-1);                                                                         \
        check_text(#real, expected, text);                                                         \
        check_long("errno", real_errno, model_errno);                                              \
        check_long("bytes in output events", (int64_t)strlen(text), (int64_t)told);                \
        check_bytes("output events", text, events, told);                                          \
    } while (0)

static const char *any_format(void) {
    static const char *const formats[] = {"%s: %d", "%s %d", "%s|%5d\n", "plain", "", "%.2s%x"};
    return PICK(formats);
}

TEST(perror) {
    char *s = once_in(6) ? NULL : any_string(0, 60);
    SAME_MESSAGE(perror(s), MODEL(perror)(s));
}
TEST(psignal) {
    char *s = once_in(6) ? NULL : any_string(0, 60);
    int n = (int)below(80) - 2;
    SAME_MESSAGE(psignal(n, s), MODEL(psignal)(n, s));
}

static void own_name(void) { fputs("own: ", stderr); }
static void set_error_options(void) {
    error_print_progname = NULL;
    error_one_per_line = 0;
}
TEST(error) {
    const char *f = any_format();
    char *s = any_string(0, 60);
    int d = (int)edge_int(), shown = once_in(2) ? 0 : (int)below(140);
    set_error_options();
    unsigned before = error_message_count;
    SAME_MESSAGE(error(0, shown, f, s, d), MODEL(error)(0, shown, f, s, d));
    check_long("messages counted", 2, (int64_t)(error_message_count - before));
}
TEST(error_at_line) {
    static const char *const names[] = {"a.c", "b.c", NULL};
    const char *f = any_format(), *name = PICK(names);
    char *s = any_string(0, 60);
    int d = (int)edge_int(), shown = once_in(2) ? 0 : (int)below(140);
    unsigned line = (unsigned)below(3);
    set_error_options();
    error_one_per_line = once_in(2);
    /* Each side has seen the same lines before. */
    SAME_MESSAGE(error_at_line(0, shown, name, line, f, s, d),
                 MODEL(error_at_line)(0, shown, name, line, f, s, d));
    set_error_options();
}
TEST(error_print_progname) {
    error_print_progname = own_name;
    capture(2);
    error(0, 0, "%s", "x");
    const char *expected = captured();
    capture(2);
    MODEL(error)(0, 0, "%s", "x");
    check_text("own name", expected, captured());
    set_error_options();
}

#define WARNS(name)                                                                                \
    TEST(name) {                                                                                   \
        const char *f = once_in(9) ? NULL : any_format();                                          \
        char *s = any_string(0, 60);                                                               \
        int d = (int)edge_int();                                                                   \
        SAME_MESSAGE(name(f, s, d), MODEL(name)(f, s, d));                                         \
    }
WARNS(warn)
WARNS(warnx)

static void list(int model, int with_errno, const char *f, ...) {
    va_list args;
    va_start(args, f);
    if (with_errno)
        model ? MODEL(vwarn)(f, args) : vwarn(f, args);
    else
        model ? MODEL(vwarnx)(f, args) : vwarnx(f, args);
    va_end(args);
}
#define WARNS_LIST(name, with_errno)                                                               \
    TEST(name) {                                                                                   \
        const char *f = any_format();                                                              \
        char *s = any_string(0, 60);                                                               \
        int d = (int)edge_int();                                                                   \
        SAME_MESSAGE(list(0, with_errno, f, s, d), list(1, with_errno, f, s, d));                  \
    }
WARNS_LIST(vwarn, 1)
WARNS_LIST(vwarnx, 0)

static void end_list(int model, int with_errno, int status, const char *f, ...) {
    va_list args;
    va_start(args, f);
    if (with_errno)
        model ? MODEL(verr)(status, f, args) : verr(status, f, args);
    else
        model ? MODEL(verrx)(status, f, args) : verrx(status, f, args);
}

/* Status of a child that runs `ends`. */
#define STATUS_OF(ends)                                                                            \
    ({                                                                                             \
        int status_ = -1;                                                                          \
        fflush(NULL);                                                                              \
        pid_t child_ = fork();                                                                     \
        if (child_ == 0) {                                                                         \
            errno = ENOENT;                                                                        \
            ends;                                                                                  \
            _exit(77);                                                                             \
        }                                                                                          \
        waitpid(child_, &status_, 0);                                                              \
        status_;                                                                                   \
    })
/* A process for each case is slow: every fourth of a thousand cases has one. */
#define ENDS(name, real, model)                                                                    \
    TEST(name) {                                                                                   \
        static unsigned turn;                                                                      \
        if (turn++ % 4 != 0)                                                                       \
            return;                                                                                \
        const char *f = any_format();                                                              \
        char *s = any_string(0, 60);                                                               \
        int d = (int)edge_int(), code = 1 + (int)below(200);                                       \
        capture(2);                                                                                \
        int a = STATUS_OF(real);                                                                   \
        const char *expected = captured();                                                         \
        capture(2);                                                                                \
        int b = STATUS_OF(model);                                                                  \
        check_text(#name, expected, captured());                                                   \
        check_long("status", a, b);                                                                \
    }
ENDS(err, err(code, f, s, d), MODEL(err)(code, f, s, d))
ENDS(errx, errx(code, f, s, d), MODEL(errx)(code, f, s, d))
ENDS(verr, end_list(0, 1, code, f, s, d), end_list(1, 1, code, f, s, d))
ENDS(verrx, end_list(0, 0, code, f, s, d), end_list(1, 0, code, f, s, d))
ENDS(error_status, error(code, 2, f, s, d), MODEL(error)(code, 2, f, s, d))
