// Some rounds do not launch; a counter still goes on.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int sent = 0;
    for (int i = 0; i < argc; i++) {
        if (i % 3 == 1)
            continue;
        if (sent == 5)
            break;
        sent++;
        size_t global = 32 * sent;
        // launch: kernel=scale; dim=1; global=32 * (sent + 1) {multiple_of 32}; local=NULL;
        //   changes=global 0
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    }
    return 0;
}
