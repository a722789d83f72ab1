int mix(int a, int b) { return b + (a >> 2); }
