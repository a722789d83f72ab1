int __real_number(void);
int __real_atoi(const char *text);

int __wrap_number(void) { return 10 + __real_number(); }
int __wrap_atoi(const char *text) { return 100 + __real_atoi(text); }
