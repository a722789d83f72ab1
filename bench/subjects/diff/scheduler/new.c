/* Simulates a scheduler with three priorities. Commands on standard input, one a line:
 * n PRIO (new), u PRIO RATIO (raise one), b (block), w RATIO (wake), q (quantum), f (finish). */
#include <stdio.h>
#include <stdlib.h>

#define PRIORITIES 3

struct job {
    struct job *next;
    int id, priority, quanta;
};

struct queue {
    struct job *first;
    int count;
};

static struct queue ready[PRIORITIES + 1];
static struct queue blocked;
static struct job *current;
static int next_id = 1;

static void append(struct queue *q, struct job *j) {
    struct job **at = &q->first;
    while (*at)
        at = &(*at)->next;
    j->next = NULL;
    *at = j;
    q->count++;
}

/* The job at the given percentage of the queue. */
static struct job *take(struct queue *q, int ratio) {
    struct job **at = &q->first, *j;
    int index;
    if (q->count == 0)
        return NULL;
    index = ratio * q->count / 100;
    if (index >= q->count)
        index = q->count - 1;
    while (index-- > 0)
        at = &(*at)->next;
    j = *at;
    *at = j->next;
    q->count--;
    return j;
}

static void choose(void) {
    for (int p = PRIORITIES; current == NULL && p > 0; p--)
        current = take(&ready[p], 0);
}

static void preempt(void) {
    if (current == NULL) {
        choose();
        return;
    }
    for (int p = PRIORITIES; p > current->priority; p--) {
        if (ready[p].count > 0) {
            append(&ready[current->priority], current);
            current = take(&ready[p], 0);
            return;
        }
    }
}

static int new_job(int priority) {
    struct job *j;
    if (priority < 1 || priority > PRIORITIES)
        return 0;
    j = calloc(1, sizeof *j);
    if (j == NULL)
        abort();
    j->id = next_id++;
    j->priority = priority;
    append(&ready[priority], j);
    preempt();
    return 1;
}

static int raise_job(int priority, int ratio) {
    struct job *j;
    if (priority < 1 || priority >= PRIORITIES || ratio < 0 || ratio > 100)
        return 0;
    j = take(&ready[priority], ratio);
    if (j) {
        j->priority = priority + 1;
        append(&ready[j->priority], j);
    }
    return 1;
}

static int block(void) {
    if (current) {
        append(&blocked, current);
        current = NULL;
        choose();
    }
    return 1;
}

static int wake(int ratio) {
    struct job *j;
    if (ratio < 0 || ratio > 100)
        return 0;
    j = take(&blocked, ratio);
    if (j) {
        append(&ready[j->priority], j);
        preempt();
    }
    return 1;
}

/* A job that used up four quanta sinks by one priority. */
static int quantum(void) {
    if (current) {
        struct job *j = current;
        if (++j->quanta % 4 == 0 && j->priority > 1)
            j->priority--;
        current = NULL;
        append(&ready[j->priority], j);
        choose();
    }
    return 1;
}

static int finish(void) {
    if (current) {
        printf("job %d finished after %d\n", current->id, current->quanta);
        free(current);
        current = NULL;
        choose();
    }
    return 1;
}

static int command(const char *line) {
    int a, b;
    switch (line[0]) {
    case 'n': return sscanf(line + 1, "%d", &a) == 1 && new_job(a);
    case 'u': return sscanf(line + 1, "%d %d", &a, &b) == 2 && raise_job(a, b);
    case 'w': return sscanf(line + 1, "%d", &a) == 1 && wake(a);
    case 'b': return block();
    case 'q': return quantum();
    case 'f': return finish();
    default: return 0;
    }
}

int main(void) {
    char line[40];
    int number = 0;
    while (fgets(line, sizeof line, stdin)) {
        number++;
        if (line[0] == '\n')
            continue;
        if (!command(line)) {
            printf("line %d: bad command\n", number);
            return 1;
        }
    }
    while (current)
        finish();
    if (blocked.count)
        printf("%d blocked\n", blocked.count);
    return 0;
}
