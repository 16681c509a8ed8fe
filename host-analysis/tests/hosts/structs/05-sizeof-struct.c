// Numbers come from the sizes of types, with padding.
#include "common.h"

typedef struct {
    char kind;
    double weight;
    short index;
} node_t;

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int table[40];
    size_t global = sizeof(node_t) * sizeof(float[4]);
    size_t local = sizeof(table) / sizeof(*table);
    // launch: kernel=scale; dim=1; global=384; local=40
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
