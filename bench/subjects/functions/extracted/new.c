static int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
int clamp_sum(short a, short b) { return clamp(a + b, -100, 100); }
