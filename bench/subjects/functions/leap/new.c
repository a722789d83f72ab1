int leap(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 200 == 0); }
