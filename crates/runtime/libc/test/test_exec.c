/* exec.c against the real functions: mostly paths that cannot be executed, whose errors are compared;
 * now and then a child that becomes `env` or `echo`, whose output is compared. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

extern int MODEL(execve)(const char *, char *const[], char *const[]), MODEL(execv)(const char *, char *const[]),
    MODEL(execvp)(const char *, char *const[]), MODEL(execvpe)(const char *, char *const[], char *const[]),
    MODEL(execl)(const char *, const char *, ...), MODEL(execlp)(const char *, const char *, ...),
    MODEL(execle)(const char *, const char *, ...);

static const char *const unusable[] = {"/nowhere/at/all", "", "/", "/etc/passwd", "nothing-by-this-name"};

/* What a child that runs `call` prints, and how it ends. */
#define CHILD(call)                                                                             \
    ({                                                                                          \
        capture(1);                                                                             \
        pid_t child = fork();                                                                   \
        if (child == 0) {                                                                       \
            (void)(call);                                                                       \
            _exit(127);                                                                         \
        }                                                                                       \
        int status = -1;                                                                        \
        waitpid(child, &status, 0);                                                             \
        check_long("status of a child that can be executed", 0, status);                        \
        captured();                                                                             \
    })

/* `real` and `model` use `path`, `a`, `b`, `argv` and `envp`. */
#define EXECUTES(name, program, real, model)                                                    \
    TEST(name) {                                                                                \
        char *a = any_string(0, 12), *b = any_string(1, 12);                                    \
        char *argv[] = {"env", a, b, NULL}, *envp[] = {"A=1", "PATH=/usr/bin:/bin", NULL};      \
        const char *path = PICK(unusable);                                                      \
        (void)argv, (void)envp;                                                                 \
        SAME(real, model);                                                                      \
        if (once_in(200)) {                                                                     \
            path = program;                                                                     \
            argv[0] = "echo";                                                                   \
            check_text("output", CHILD(real), CHILD(model));                                    \
        }                                                                                       \
    }
EXECUTES(execve, "/bin/echo", execve(path, argv, envp), MODEL(execve)(path, argv, envp))
EXECUTES(execv, "/bin/echo", execv(path, argv), MODEL(execv)(path, argv))
EXECUTES(execvp, "echo", execvp(path, argv), MODEL(execvp)(path, argv))
EXECUTES(execvpe, "echo", execvpe(path, argv, envp), MODEL(execvpe)(path, argv, envp))
EXECUTES(execl, "/bin/echo", execl(path, "echo", a, b, NULL), MODEL(execl)(path, "echo", a, b, NULL))
EXECUTES(execlp, "echo", execlp(path, "echo", b, a, "x", NULL), MODEL(execlp)(path, "echo", b, a, "x", NULL))
EXECUTES(execle, "/usr/bin/env", execle(path, "env", NULL, envp), MODEL(execle)(path, "env", NULL, envp))
