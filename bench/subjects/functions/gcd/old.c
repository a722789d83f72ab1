unsigned gcd(unsigned char a, unsigned char b) { return b == 0 ? a : gcd(b, a % b); }
