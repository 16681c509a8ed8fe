// Sizes are chains of definitions, the first of which a flag selects.
// flags: -DBIG
#include "common.h"

#ifdef BIG
#define ROWS 64
#else
#define ROWS 16
#endif
#define COLUMNS (ROWS / 4)
#define LOCAL_ROWS (COLUMNS)
#define WORK_GROUP LOCAL_ROWS

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[2] = {ROWS * WORK_GROUP, COLUMNS};
    size_t local[2] = {WORK_GROUP, 4};
    // launch: kernel=scale; dim=2; global=1024, 16; local=16, 4; offset=0, 0
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return 0;
}
