unsigned triangle(unsigned char n) { return (unsigned short)(n * (n + 1u) * 2) / 4; }
