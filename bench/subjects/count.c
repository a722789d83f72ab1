/* A loop over its input with one branch on every byte: the length of the trace is the length of the input.
 * With an argument the input is gone through that many times. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static unsigned char text[1 << 20];
    size_t len = fread(text, 1, sizeof text, stdin);
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned words = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < len; i++)
            if (text[i] == ' ' + round)
                words++;
    printf("%u\n", words);
    return 0;
}
