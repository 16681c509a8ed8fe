/* Shared virtual memory: which allocation an address lies in. */
#include "runtime.h"

#include <stdlib.h>

struct allocation {
    struct fpgacc_svm memory;
    struct allocation *next;
};

static struct allocation *allocations;
static uint64_t generation;

uint64_t fpgacc_svm_generation(void)
{
    pthread_mutex_lock(&fpgacc_lock);
    uint64_t now = generation;
    pthread_mutex_unlock(&fpgacc_lock);
    return now;
}

static int contains(const struct fpgacc_svm *memory, uintptr_t address)
{
    return address - memory->begin < memory->size;
}

int fpgacc_find_svm(uintptr_t address, struct fpgacc_svm *found)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct allocation *at = allocations;
    while (at && !contains(&at->memory, address))
        at = at->next;
    if (at)
        *found = at->memory;
    pthread_mutex_unlock(&fpgacc_lock);
    return at != NULL;
}

static void forget(const void *memory)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct allocation **at = &allocations;
    while (*at && (*at)->memory.begin != (uintptr_t)memory)
        at = &(*at)->next;
    struct allocation *gone = *at;
    if (gone)
        *at = gone->next;
    generation++;
    pthread_mutex_unlock(&fpgacc_lock);
    free(gone);
}

void *__wrap_clSVMAlloc(cl_context context, cl_bitfield flags, size_t size, cl_uint alignment)
{
    if (!__real_clSVMAlloc)
        return NULL;
    void *memory = __real_clSVMAlloc(context, flags, size, alignment);
    /* Without an entry it is memory that nothing is known of. */
    struct allocation *allocation = memory ? malloc(sizeof *allocation) : NULL;
    if (!allocation)
        return memory;
    allocation->memory = (struct fpgacc_svm){(uintptr_t)memory, size};
    pthread_mutex_lock(&fpgacc_lock);
    allocation->next = allocations;
    allocations = allocation;
    generation++;
    pthread_mutex_unlock(&fpgacc_lock);
    return memory;
}

/* Forgotten before it is freed: its address may be given out again at once. */
void __wrap_clSVMFree(cl_context context, void *memory)
{
    if (!__real_clSVMFree)
        return;
    if (memory)
        forget(memory);
    __real_clSVMFree(context, memory);
}

/* Forgotten early: launches before the memory is freed find that nothing is known of it. */
cl_int __wrap_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void **memory,
                               fpgacc_svm_free free_memory, void *user_data, cl_uint num_events,
                               const cl_event *wait_list, cl_event *event)
{
    if (!__real_clEnqueueSVMFree)
        return CL_INVALID_OPERATION;
    fpgacc_settle();
    for (cl_uint i = 0; memory && i < count; i++)
        if (memory[i])
            forget(memory[i]);
    return __real_clEnqueueSVMFree(queue, count, memory, free_memory, user_data, num_events,
                                   wait_list, event);
}
