unsigned triangle(unsigned char n) { return n * (n + 1u) / 2; }
