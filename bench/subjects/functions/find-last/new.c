char *find(char *s, char c) {
    char *found = 0;
    for (; *s; s++)
        if (*s == c) found = s;
    return found;
}
