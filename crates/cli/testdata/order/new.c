#include <stdio.h>
#include <sys/random.h>

int main(int argc, char **argv)
{
    const char *words[12] = {"one", "two", "three", "four", "five", "six",
                             "seven", "eight", "nine", "ten", "eleven", "twelve"};
    if (argc == 4)
        words[11] = "dozen";
    unsigned char seed[12];
    if (getrandom(seed, sizeof seed, 0) != sizeof seed)
        return 1;
    for (int i = 11; i > 0; i--) {
        int j = seed[i] % (i + 1);
        const char *word = words[i];
        words[i] = words[j];
        words[j] = word;
    }
    for (int i = 0; i < 12; i++)
        puts(words[i]);
    return 0;
}
