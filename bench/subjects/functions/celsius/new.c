double celsius(double f) { return f - 32 * 5 / 9; }
