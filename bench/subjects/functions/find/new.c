char *find(char *s, char c) {
    char *found = 0;
    int i = 0;
    while (!found) {
        if (s[i] == c) found = s + i;
        if (s[i] == 0) break;
        i++;
    }
    return found;
}
