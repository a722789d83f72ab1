/* stats: how many numbers, their mean, and whether they scatter. */
#include <math.h>
#include <stdio.h>

int main(void) {
    double numbers[64], sum = 0, variance = 0;
    int n = 0;
    while (n < 64 && scanf("%lf", &numbers[n]) == 1)
        sum += numbers[n++];
    if (n < 2)
        return 1;
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        variance += (numbers[i] - mean) * (numbers[i] - mean);
    double deviation = sqrt(variance / n);
    printf("%d %.3f %s\n", n, mean, deviation > 40.5 ? "scattered" : "dense");
    return 0;
}
