int shared;
static int value(void) { return 2; }
int other(int ignored) { return value() + shared; }
int answer(void) { return 42; }
