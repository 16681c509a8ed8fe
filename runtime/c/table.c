/* OpenCL handles -> what the runtime knows of them. */
#include "runtime.h"

pthread_mutex_t fpgacc_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t bucket(const void *key)
{
    /* Handles are addresses of heap objects: the lowest bits say nothing. */
    uintptr_t bits = (uintptr_t)key >> 4;
    return (bits ^ (bits >> 8) ^ (bits >> 16)) % FPGACC_BUCKETS;
}

struct fpgacc_node *fpgacc_table_find(const struct fpgacc_table *table, const void *key)
{
    struct fpgacc_node *node = table->buckets[bucket(key)];
    while (node && node->key != key)
        node = node->next;
    return node;
}

void fpgacc_table_add(struct fpgacc_table *table, struct fpgacc_node *node)
{
    struct fpgacc_node **head = &table->buckets[bucket(node->key)];
    node->next = *head;
    *head = node;
    table->count++;
}

void fpgacc_table_remove(struct fpgacc_table *table, struct fpgacc_node *node)
{
    struct fpgacc_node **link = &table->buckets[bucket(node->key)];
    while (*link && *link != node)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = node->next;
    table->count--;
}
