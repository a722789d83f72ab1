/* Replacing the program by another: the trace ends there, and what goes along is lost.
 *
 * In: the functions of exec(3). Out: a note and escapes in the trace, then the real execve.
 * Always: a call that fails returns as the real one does.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "plx.h"

static void leaving(const char *function, const char *path, char *const argv[]) {
    __plx_exec();
    __plx_escape(function, path, strlen(path));
    for (int i = 0; argv && argv[i]; i++)
        __plx_escape(function, argv[i], strlen(argv[i]));
}

int MODEL(execve)(const char *path, char *const argv[], char *const envp[]) {
    leaving("execve", path, argv);
    return execve(path, argv, envp);
}

int MODEL(execv)(const char *path, char *const argv[]) {
    leaving("execv", path, argv);
    return execv(path, argv);
}

int MODEL(execvp)(const char *file, char *const argv[]) {
    leaving("execvp", file, argv);
    return execvp(file, argv);
}

int MODEL(execvpe)(const char *file, char *const argv[], char *const envp[]) {
    extern int execvpe(const char *, char *const[], char *const[]);
    leaving("execvpe", file, argv);
    return execvpe(file, argv, envp);
}

static size_t count(const char *first, va_list list) {
    size_t n = 1;
    if (first)
        while (va_arg(list, char *))
            n++;
    return n;
}

/* `argv` becomes the null-terminated list of arguments; `list` stands behind it afterwards. */
#define ARGUMENTS(argv, list, first)                                                            \
    va_start(list, first);                                                                      \
    char *argv[count(first, list) + 1];                                                         \
    va_end(list);                                                                               \
    va_start(list, first);                                                                      \
    argv[0] = (char *)first;                                                                    \
    for (size_t i_ = 0; argv[i_];)                                                              \
        argv[++i_] = va_arg(list, char *);

int MODEL(execl)(const char *path, const char *first, ...) {
    va_list list;
    ARGUMENTS(argv, list, first)
    va_end(list);
    leaving("execl", path, argv);
    return execv(path, argv);
}

int MODEL(execlp)(const char *file, const char *first, ...) {
    va_list list;
    ARGUMENTS(argv, list, first)
    va_end(list);
    leaving("execlp", file, argv);
    return execvp(file, argv);
}

int MODEL(execle)(const char *path, const char *first, ...) {
    va_list list;
    ARGUMENTS(argv, list, first)
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    leaving("execle", path, argv);
    return execve(path, argv, envp);
}
