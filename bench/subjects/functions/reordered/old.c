unsigned mix(unsigned a, unsigned b, unsigned c) { return 5 * a + 3 * b - c; }
