// A file's first line has the size.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int rows = 0, columns = 0;
    FILE *file = fopen(argv[1], "r");
    if (!file || fscanf(file, "%d %d", &rows, &columns) != 2)
        return 1;
    fclose(file);
    size_t global[2] = {(size_t)columns * 16, rows};
    size_t local[2] = {16, 1};
    // launch: kernel=scale; dim=2; global=0 or columns * 16, 0 or rows;
    //   local=16, 1
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return 0;
}
