#include <stdio.h>

int seven(void);
int eight(void);
int nine(void);

int main(void)
{
    printf("%d\n", seven() + eight() + nine());
    return 0;
}
