/* The product of two versions for AFL++: runs both on the same input in one process and traps if they differ.
 *
 * In: test cases from the fuzzer, in persistent mode through shared memory. Out: a trap on a difference in exit status,
 * signal, standard output or standard error.
 *
 * How a test case is laid out is fixed when this is compiled:
 *   PLX_ARGUMENTS  it begins with arguments, each ended by a NUL, the last by two if standard input follows
 *   PLX_STDIN      the rest is standard input
 *   PLX_FILE       the rest is the content of the file of that name, which is the only argument
 *
 * The objects of the versions call plx_exit, plx_abort, plx_fopen and plx_fclose in the place of exit and so on, their
 * mains are called plx_old_main and plx_new_main, and all their other symbols are local. Their data lies between the
 * markers of markers.c, and is put back before every run. */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__AFL_FUZZ_INIT();

#define MAX_ARGUMENTS 64
#define MAX_STREAMS 16
/* Runs in one process, as AFL++ suggests. */
#define RUNS 10000

int plx_old_main(int argc, char **argv);
int plx_new_main(int argc, char **argv);

extern char plx_data_begin[], plx_data_end[], plx_bss_begin[], plx_bss_end[];

struct outcome {
    int status;
    char *out, *err;
    size_t out_len, err_len;
};

static char *saved_data;
static sigjmp_buf leave;
static int status;
static FILE *streams[MAX_STREAMS];
static char *file_content;
static size_t file_len;

void plx_exit(int code) {
    status = code & 0xff;
    siglongjmp(leave, 1);
}

static void on_signal(int number) {
    status = 0x100 + number;
    siglongjmp(leave, 1);
}

void plx_abort(void) {
    on_signal(SIGABRT);
}

static FILE *from_memory(char *bytes, size_t len) {
    return fmemopen(len ? bytes : "", len, "r");
}

FILE *plx_fopen(const char *name, const char *mode) {
#ifdef PLX_FILE
    if (strcmp(name, PLX_FILE) == 0 && mode[0] == 'r') {
        for (int i = 0; i < MAX_STREAMS; i++)
            if (streams[i] == NULL)
                return streams[i] = from_memory(file_content, file_len);
    }
#endif
    (void)name;
    (void)mode;
    (void)file_content;
    (void)file_len;
    errno = ENOENT;
    return NULL;
}

int plx_fclose(FILE *stream) {
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i] == stream)
            streams[i] = NULL;
    return fclose(stream);
}

static void save_data(void) {
    saved_data = malloc((size_t)(plx_data_end - plx_data_begin));
    memcpy(saved_data, plx_data_begin, (size_t)(plx_data_end - plx_data_begin));
}

static void restore_data(void) {
    memcpy(plx_data_begin, saved_data, (size_t)(plx_data_end - plx_data_begin));
    memset(plx_bss_begin, 0, (size_t)(plx_bss_end - plx_bss_begin));
}

static void catch_signals(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static void run(int (*version)(int, char **), int argc, char **argv, char *input, size_t len, struct outcome *o) {
    FILE *in = stdin, *out = stdout, *err = stderr;
    char *copies[MAX_ARGUMENTS + 1];
    for (int i = 0; i <= argc; i++)
        copies[i] = argv[i];
    restore_data();
    optind = 0;
    errno = 0;
    stdin = from_memory(input, len);
    stdout = open_memstream(&o->out, &o->out_len);
    stderr = open_memstream(&o->err, &o->err_len);
    if (sigsetjmp(leave, 0) == 0)
        plx_exit(version(argc, copies));
    fclose(stdin);
    fclose(stdout);
    fclose(stderr);
    for (int i = 0; i < MAX_STREAMS; i++) {
        if (streams[i])
            fclose(streams[i]);
        streams[i] = NULL;
    }
    stdin = in;
    stdout = out;
    stderr = err;
    o->status = status;
}

static int differ(const struct outcome *a, const struct outcome *b) {
    return a->status != b->status || a->out_len != b->out_len || a->err_len != b->err_len ||
           memcmp(a->out, b->out, a->out_len) != 0 || memcmp(a->err, b->err, a->err_len) != 0;
}

/* Splits off the arguments; what is left is at the returned place. NUL after the end is provided by the caller. */
static char *split(char *at, char *end, char **argv, int *argc) {
    *argc = 1;
    argv[0] = "program";
#ifdef PLX_ARGUMENTS
    while (at < end && *argc < MAX_ARGUMENTS) {
        argv[(*argc)++] = at;
        at += strlen(at) + 1;
#ifdef PLX_STDIN
        if (at < end && *at == '\0') {
            at++;
            break;
        }
#endif
    }
#endif
#ifdef PLX_FILE
    argv[(*argc)++] = PLX_FILE;
#endif
    argv[*argc] = NULL;
    return at < end ? at : end;
}

/* The versions must not write into the fuzzer's copy, and both must get the same. */
static int differ_on(const unsigned char *test, size_t len) {
    char *copy = malloc(len + 1), *work = malloc(len + 1), *rest, *argv[MAX_ARGUMENTS + 1];
    struct outcome old = {0}, new = {0};
    int argc, different;
    memcpy(copy, test, len);
    copy[len] = '\0';
    memcpy(work, copy, len + 1);
    rest = split(work, work + len, argv, &argc);
    file_content = rest;
    file_len = (size_t)(work + len - rest);
    run(plx_old_main, argc, argv, rest, file_len, &old);
    memcpy(work, copy, len + 1);
    run(plx_new_main, argc, argv, rest, file_len, &new);
    different = differ(&old, &new);
    if (different && getenv("PLX_SHOW"))
        fprintf(stderr, "old %d %s%s\nnew %d %s%s\n", old.status, old.out, old.err, new.status, new.out, new.err);
    free(old.out);
    free(old.err);
    free(new.out);
    free(new.err);
    free(copy);
    free(work);
    return different;
}

int main(void) {
    unsigned char *test;
    save_data();
    catch_signals();
    __AFL_INIT();
    test = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(RUNS)) {
        size_t len = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        if (differ_on(test, len)) {
            signal(SIGILL, SIG_DFL);
            __builtin_trap();
        }
    }
    return 0;
}
