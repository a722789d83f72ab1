unsigned mix(unsigned a, unsigned b, unsigned c) { return (b << 1) - (c - b) + a + (a << 2); }
