/* Letters by what they are worth; bytes are signed, as they come. */
#include <stdio.h>

int main(void) {
    signed char byte = 0;
    if (fread(&byte, 1, 1, stdin) != 1)
        return 1;
    switch (byte) {
    case -1: puts("nothing"); break;
    case 'e': puts("one"); break;
    case 'q': puts("ten"); break;
    case 'x': puts("nine"); break;
    default: puts("two"); break;
    }
    return 0;
}
