/* Launches kernels that a C compiler built for the processor: one work-item after the other. main is made for each job
 * (mod.rs); it calls launched() for each launch. */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long size;

static jmp_buf left;
static unsigned dims;
static size offset[3], global[3], local[3], group[3], item[3];

/* Work-item functions, by number: builtins.rs. */
size fpgacc_id(unsigned what, unsigned dim)
{
    if (what == 7)
        return dims;
    if (dim >= dims)
        return what == 1 || what == 3 || what == 5;
    switch (what) {
    case 0:
        return offset[dim] + group[dim] * local[dim] + item[dim];
    case 1:
        return global[dim];
    case 2:
        return item[dim];
    case 3:
        return local[dim];
    case 4:
        return group[dim];
    case 5:
        return global[dim] / local[dim];
    default:
        return offset[dim];
    }
}

/* Ends a launch: what the kernel asks for is not known here. */
void *fpgacc_leave(void)
{
    longjmp(left, 1);
}

/* A work-item that waits for others ends the launch: they do not run side by side. */
void fpgacc_barrier(void)
{
    if (local[0] * local[1] * local[2] > 1)
        fpgacc_leave();
}

static void all_items(void (*kernel)(void **), void **args)
{
    for (item[2] = 0; item[2] < local[2]; item[2]++)
        for (item[1] = 0; item[1] < local[1]; item[1]++)
            for (item[0] = 0; item[0] < local[0]; item[0]++)
                kernel(args);
}

static void launched(int number, void (*kernel)(void **), void **args, unsigned work_dim, const size *from,
                     const size *items, const size *of_group)
{
    fprintf(stderr, "launch %d\n", number);
    dims = work_dim;
    for (int d = 0; d < 3; d++) {
        offset[d] = from[d];
        global[d] = items[d];
        local[d] = of_group[d];
    }
    if (setjmp(left)) {
        fprintf(stderr, "left\n");
        return;
    }
    for (group[2] = 0; group[2] < global[2] / local[2]; group[2]++)
        for (group[1] = 0; group[1] < global[1] / local[1]; group[1]++)
            for (group[0] = 0; group[0] < global[0] / local[0]; group[0]++)
                all_items(kernel, args);
}

/* So many bytes of a file, so far from the start of a page. */
static void *buffer(const char *file, size bytes, size from)
{
    char *memory = aligned_alloc(4096, (bytes + from + 4096) / 4096 * 4096 + 4096);
    FILE *in = fopen(file, "rb");
    if (!memory || !in || fread(memory + from, 1, bytes, in) != bytes)
        exit(2);
    fclose(in);
    return memory + from;
}
