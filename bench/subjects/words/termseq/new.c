/* Shows what the control sequences of a terminal recording do to the terminal. */
#include <stdio.h>

enum state { GROUND, ESCAPE, CSI, CSI_PRIVATE, OSC, OSC_TEXT, SKIP };

struct screen {
    enum state state;
    int number, numbers[4], count;
    int row, column, rows_seen;
    int alternate, paste, cursor_hidden, bold, colour;
    int title;
    int unknown;
};

static void mode(struct screen *s, int number, int on)
{
    switch (number) {
    case 25: s->cursor_hidden = !on; break;
    case 1049: s->alternate = on; break;
    case 2004: s->paste = on; break;
    default: s->unknown++;
    }
}

static void style(struct screen *s, int number)
{
    if (number == 0) {
        s->bold = 0;
        s->colour = 0;
    } else if (number == 1)
        s->bold = 1;
    else if (number >= 30 && number < 38)
        s->colour = number - 29;
    else
        s->unknown++;
}

static void push(struct screen *s)
{
    if (s->count < 4)
        s->numbers[s->count++] = s->number;
    s->number = 0;
}

static void finish(struct screen *s, int c)
{
    int i, n;
    push(s);
    n = s->numbers[0] ? s->numbers[0] : 1;
    switch (c) {
    case 'A': s->row -= s->row < n ? s->row : n; break;
    case 'B': s->row += n > 24 ? 24 : n; break;
    case 'C': s->column += n > 80 ? 80 : n; break;
    case 'H':
        s->row = n - 1;
        s->column = s->count > 1 && s->numbers[1] ? s->numbers[1] - 1 : 0;
        break;
    case 'm':
        for (i = 0; i < s->count; i++)
            style(s, s->numbers[i]);
        break;
    case 'J':
        if (s->numbers[0] == 2)
            s->rows_seen = 0;
        break;
    default: s->unknown++;
    }
}

static void text(struct screen *s, int c)
{
    if (c == '\n') {
        s->row++;
        s->rows_seen++;
        s->column = 0;
    } else if (c == '\r')
        s->column = 0;
    else if (c >= ' ') {
        s->column++;
        if (s->alternate && s->paste && s->bold)
            s->column += 2;
    }
}

static void feed(struct screen *s, int c)
{
    switch (s->state) {
    case GROUND:
        if (c == 27)
            s->state = ESCAPE;
        else
            text(s, c);
        break;
    case ESCAPE:
        s->number = s->count = s->numbers[0] = 0;
        s->state = c == '[' ? CSI : c == ']' ? OSC : GROUND;
        break;
    case CSI:
        if (c == '?' && s->count == 0 && s->number == 0)
            s->state = CSI_PRIVATE;
        else if (c >= '0' && c <= '9')
            s->number = (s->number * 10 + c - '0') % 100000;
        else if (c == ';')
            push(s);
        else {
            s->state = GROUND;
            finish(s, c);
        }
        break;
    case CSI_PRIVATE:
        if (c >= '0' && c <= '9')
            s->number = (s->number * 10 + c - '0') % 100000;
        else {
            if (c == 'h' || c == 'l')
                mode(s, s->number, c == 'h');
            s->state = GROUND;
        }
        break;
    case OSC:
        s->state = c == '0' || c == '2' ? OSC_TEXT : SKIP;
        break;
    case OSC_TEXT:
        if (c == 7)
            s->state = GROUND;
        else
            s->title++;
        break;
    case SKIP:
        if (c == 7)
            s->state = GROUND;
        break;
    }
}

int main(void)
{
    struct screen s = { GROUND };
    int c;
    while ((c = getchar()) != EOF)
        feed(&s, c);
    printf("at %d, %d; %d lines\n", s.row, s.column, s.rows_seen);
    printf("%s%s%s\n", s.alternate ? "alternate " : "", s.paste ? "paste " : "", s.bold ? "bold" : "plain");
    if (s.title > 4)
        printf("title\n");
    return s.unknown > 9;
}
