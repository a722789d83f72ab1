static const signed char length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 31, 30};
int days(int month) { return month < 1 || month > 12 ? -1 : length[month - 1]; }
