unsigned poly(unsigned x, unsigned a, unsigned b, unsigned c) { return a * x * x + b * x + c; }
