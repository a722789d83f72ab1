/* Messages of libc itself: perror, error, err, psignal and relatives.
 *
 * In: the program's message. Out: the same bytes on standard error as glibc's, as output events
 * with labels. Always holds: errno, exit status, error_message_count and the flush of standard
 * output are glibc's.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void MODEL(perror)(const char *s) {
    int error = errno;
    const char *colon = s && *s ? ": " : "";
    char text[1024];
    const char *meaning = strerror_r(error, text, sizeof text);
    MODEL(fprintf)(stderr, "%s%s%s\n", s && *s ? s : "", colon, meaning);
}

/* glibc keeps quiet if standard output's descriptor is closed: it may be another file's by then. */
static void flush_stdout(void) {
    __plx_io_report(stdout);
    int fd = fileno(stdout);
    if (fd >= 0 && fcntl(fd, F_GETFL) >= 0)
        fflush(stdout);
    __plx_io_reported(stdout);
}

static void error_tail(int status, int number, const char *format, va_list args) {
    MODEL(vfprintf)(stderr, format, args);
    ++error_message_count;
    if (number) {
        char text[1024];
        MODEL(fprintf)(stderr, ": %s", strerror_r(number, text, sizeof text));
    }
    MODEL(fprintf)(stderr, "\n");
    fflush(stderr);
    if (status)
        exit(status);
}

static void verror(int status, int number, const char *format, va_list args) {
    flush_stdout();
    if (error_print_progname)
        error_print_progname();
    else
        MODEL(fprintf)(stderr, "%s: ", program_invocation_name);
    error_tail(status, number, format, args);
}

static void verror_at_line(int status, int number, const char *file, unsigned line,
                           const char *format, va_list args) {
    if (error_one_per_line) {
        static const char *last_file;
        static unsigned last_line;
        if (last_line == line &&
            (file == last_file || (last_file && file && strcmp(last_file, file) == 0)))
            return;
        last_file = file;
        last_line = line;
    }
    flush_stdout();
    if (error_print_progname)
        error_print_progname();
    else
        MODEL(fprintf)(stderr, "%s:", program_invocation_name);
    if (file)
        MODEL(fprintf)(stderr, "%s:%u: ", file, line);
    else
        MODEL(fprintf)(stderr, " ");
    error_tail(status, number, format, args);
}

void MODEL(error)(int status, int number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    verror(status, number, format, args);
    va_end(args);
}

void MODEL(error_at_line)(int status, int number, const char *file, unsigned line,
                          const char *format, ...) {
    va_list args;
    va_start(args, format);
    verror_at_line(status, number, file, line, format, args);
    va_end(args);
}

/* "program: message", with the meaning of errno if `number` is not negative. */
static void message(int number, const char *format, va_list args) {
    MODEL(fprintf)(stderr, "%s: ", program_invocation_short_name);
    if (format)
        MODEL(vfprintf)(stderr, format, args);
    if (number >= 0) {
        char text[1024];
        const char *meaning = strerror_r(number, text, sizeof text);
        MODEL(fprintf)(stderr, format ? ": %s\n" : "%s\n", meaning);
    } else {
        MODEL(fprintf)(stderr, "\n");
    }
}

void MODEL(vwarn)(const char *format, va_list args) {
    int number = errno;
    message(number, format, args);
    errno = number;
}
void MODEL(vwarnx)(const char *format, va_list args) { message(-1, format, args); }
void MODEL(verr)(int status, const char *format, va_list args) {
    MODEL(vwarn)(format, args);
    exit(status);
}
void MODEL(verrx)(int status, const char *format, va_list args) {
    MODEL(vwarnx)(format, args);
    exit(status);
}

#define WITH_ARGUMENTS(call)                                                                       \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    call;                                                                                          \
    va_end(args)

void MODEL(warn)(const char *format, ...) { WITH_ARGUMENTS(MODEL(vwarn)(format, args)); }
void MODEL(warnx)(const char *format, ...) { WITH_ARGUMENTS(MODEL(vwarnx)(format, args)); }
void MODEL(err)(int status, const char *format, ...) {
    WITH_ARGUMENTS(MODEL(verr)(status, format, args));
}
void MODEL(errx)(int status, const char *format, ...) {
    WITH_ARGUMENTS(MODEL(verrx)(status, format, args));
}

void MODEL(psignal)(int number, const char *s) {
    const char *colon = s && *s ? ": " : "";
    const char *prefix = s && *s ? s : "";
    const char *name = sigdescr_np(number);
    if (name)
        MODEL(fprintf)(stderr, "%s%s%s\n", prefix, colon, name);
    else
        MODEL(fprintf)(stderr, "%s%sUnknown signal %d\n", prefix, colon, number);
}
