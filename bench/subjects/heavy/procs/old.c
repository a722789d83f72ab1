/* procs - three queues of processes.
 *
 * usage: procs HIGH MIDDLE LOW   creates so many processes of each priority, then obeys standard input:
 *   p N   promotes the N-th process of the lowest queue that has so many
 *   b     blocks the running process
 *   u N   unblocks the N-th blocked one
 *   r     the running process gives way
 *   f     the running process ends
 */
#include <stdio.h>
#include <stdlib.h>

struct process { int id, priority; struct process *next; };
struct queue { struct process *first; int length; };

static struct queue ready[3], blocked;
static int made;

static void append(struct queue *q, struct process *p)
{
    struct process **at = &q->first;
    while (*at)
        at = &(*at)->next;
    p->next = NULL;
    *at = p;
    q->length++;
}

static struct process *take(struct queue *q, int n)
{
    struct process **at = &q->first, *p;
    if (n < 1 || n > q->length)
        return NULL;
    while (--n)
        at = &(*at)->next;
    p = *at;
    *at = p->next;
    q->length--;
    return p;
}

static struct process *running(int remove)
{
    int k;
    for (k = 2; k >= 0; k--)
        if (ready[k].length)
            return remove ? take(&ready[k], 1) : ready[k].first;
    return NULL;
}

static void create(int priority)
{
    struct process *p = malloc(sizeof *p);
    if (!p)
        exit(3);
    p->id = ++made;
    p->priority = priority;
    append(&ready[priority], p);
}

static void promote(int n)
{
    int k;
    for (k = 0; k < 2; k++) {
        struct process *p = take(&ready[k], n);
        if (p) {
            p->priority = k + 1;
            append(&ready[k + 1], p);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    char command;
    int n, k;
    struct process *p;
    if (argc != 4) {
        fprintf(stderr, "usage: procs HIGH MIDDLE LOW\n");
        return 2;
    }
    for (k = 0; k < 3; k++) {
        int count = atoi(argv[3 - k]);
        if (count < 0)
            return 2;
        while (count--)
            create(k);
    }
    while (scanf(" %c", &command) == 1) {
        switch (command) {
        case 'p':
            if (scanf("%d", &n) == 1)
                promote(n);
            break;
        case 'b':
            if ((p = running(1)))
                append(&blocked, p);
            break;
        case 'u':
            if (scanf("%d", &n) == 1 && (p = take(&blocked, n)))
                append(&ready[p->priority], p);
            break;
        case 'r':
            if ((p = running(1)))
                append(&ready[p->priority], p);
            break;
        case 'f':
            if ((p = running(1))) {
                printf("%d ", p->id);
                free(p);
            }
            break;
        default:
            return 1;
        }
    }
    while ((p = running(1)))
        printf("%d ", p->id);
    printf("\n");
    return 0;
}
