// getopt gives options, strtol numbers.
#include "common.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    long items = 4096;
    size_t local = 32;
    int option;
    while ((option = getopt(argc, argv, "n:w")) != -1) {
        switch (option) {
        case 'n':
            items = strtol(optarg, NULL, 10);
            break;
        case 'w':
            local = 64;
            break;
        }
    }
    size_t global = items * local;
    // launch: kernel=scale; dim=1; local=32 or 64; global=items * 32 or items * 64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
