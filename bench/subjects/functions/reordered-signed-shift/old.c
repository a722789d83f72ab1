int mix(int a, int b) { return a / 4 + b; }
