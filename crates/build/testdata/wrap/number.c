int number(void) { return 1; }
