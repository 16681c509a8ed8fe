// std::cin and a string stream give numbers.
#include "common.h"
#include <iostream>
#include <sstream>

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t local = 16, items = 256;
    if (argc > 1) {
        std::istringstream text(argv[1]);
        text >> local;
    }
    std::cin >> items;
    // launch: kernel=scale; dim=1; global=items; local=16 or local
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
    return 0;
}
