/* A moment HH:MM:SS as a shift: the night is told by seconds, which a loop over hours counts. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int two_digits(const char **text)
{
    int value = 0;

    for (int i = 0; i < 2; i++) {
        if (!isdigit((unsigned char)**text))
            exit(2);
        value = value * 10 + *(*text)++ - '0';
    }
    return value;
}

static const char *shift(int hours, int minutes, int seconds)
{
    int passed = minutes * 60 + seconds;

    for (int h = 0; h < hours; h++)
        passed += 3600;
    if (passed * 7 / 5 % 1000 < 40 && passed < 3000)
        return passed % 97 == 5 ? "early" : "night";
    return "day";
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "";
    int hours = two_digits(&text);
    int minutes = *text++ == ':' ? two_digits(&text) : 0;
    int seconds = *text++ == ':' ? two_digits(&text) : 0;

    if (hours > 23 || minutes > 59 || seconds > 59)
        return 1;
    puts(shift(hours, minutes, seconds));
    return 0;
}
