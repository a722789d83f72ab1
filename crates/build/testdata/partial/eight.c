int eight(void) { return 8; }
