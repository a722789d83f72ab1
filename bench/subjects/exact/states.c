/* A table-driven machine that recognises numbers such as -12.5e+3 among blanks and commas. */
#include <stdio.h>

enum class { OTHER, DIGIT, SIGN, DOT, EXPONENT, BLANK, COMMA, CLASSES };
enum state { START, SIGNED, WHOLE, POINT, FRACTION, E, E_SIGNED, E_DIGITS, AFTER, ERROR, STATES };

static const unsigned char next[STATES][CLASSES] = {
    [START] = {ERROR, WHOLE, SIGNED, POINT, ERROR, START, ERROR},
    [SIGNED] = {ERROR, WHOLE, ERROR, POINT, ERROR, ERROR, ERROR},
    [WHOLE] = {ERROR, WHOLE, ERROR, FRACTION, E, AFTER, START},
    [POINT] = {ERROR, FRACTION, ERROR, ERROR, ERROR, ERROR, ERROR},
    [FRACTION] = {ERROR, FRACTION, ERROR, ERROR, E, AFTER, START},
    [E] = {ERROR, E_DIGITS, E_SIGNED, ERROR, ERROR, ERROR, ERROR},
    [E_SIGNED] = {ERROR, E_DIGITS, ERROR, ERROR, ERROR, ERROR, ERROR},
    [E_DIGITS] = {ERROR, E_DIGITS, ERROR, ERROR, ERROR, AFTER, START},
    [AFTER] = {ERROR, ERROR, ERROR, ERROR, ERROR, AFTER, START},
    [ERROR] = {ERROR, ERROR, ERROR, ERROR, ERROR, ERROR, ERROR},
};

static const unsigned char classes[256] = {
    ['0' ... '9'] = DIGIT, ['+'] = SIGN, ['-'] = SIGN, ['.'] = DOT,
    ['e'] = EXPONENT, ['E'] = EXPONENT, [' '] = BLANK, ['\t'] = BLANK, [','] = COMMA, ['\n'] = COMMA,
};

static int accepting(enum state s) {
    switch (s) {
    case START: case WHOLE: case FRACTION: case E_DIGITS: case AFTER: return 1;
    default: return 0;
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    enum state s = START;
    int position = 0, numbers = 0;
    for (const char *p = argv[1]; *p; p++, position++) {
        enum state t = next[s][classes[(unsigned char)*p]];
        if (t == ERROR) {
            printf("error at %d in state %d\n", position, s);
            return 1;
        }
        if (t == START && s != START)
            numbers++;
        s = t;
    }
    if (!accepting(s)) {
        puts("cut off");
        return 1;
    }
    printf("%d numbers\n", numbers + (s != START));
    return 0;
}
