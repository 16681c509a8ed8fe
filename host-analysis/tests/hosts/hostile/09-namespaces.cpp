// Two namespaces have a variable of one name.
#include "common.h"

namespace rows {
size_t group = 64;
}
namespace columns {
size_t group = 16;
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024;
    rows::group = 32;
    // launch: kernel=scale; dim=1; global=1024; local=? namespaces
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &columns::group, 0, NULL, NULL);
    return 0;
}
