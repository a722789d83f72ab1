/* Says its last words after all exit handlers. */
#include <stdio.h>

static int given;

__attribute__((destructor)) static void say_last_words(void) { printf("last words, %d\n", given); }

int main(int argc, char **argv) {
    given = argc;
    return argv[0] == NULL;
}
