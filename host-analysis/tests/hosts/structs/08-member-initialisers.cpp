// Members have initialisers in the class, and a static member holds the size of a group.
#include "common.h"

struct Config {
    size_t global = 256;
    size_t local = 32;
    unsigned dimensions{1};
    static const size_t limit = 16;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    Config config;
    if (config.local > Config::limit)
        config.local = Config::limit;
    // launch: kernel=scale; dim=1; global=256; local=? Config::limit
    clEnqueueNDRangeKernel(queue, kernel, config.dimensions, NULL, &config.global, &config.local, 0, NULL, NULL);
    return 0;
}
