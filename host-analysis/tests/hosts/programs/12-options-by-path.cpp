// The same with strings and streams of C++.
#include "common.h"
#include <sstream>
#include <string>

static void launch(cl_context context, cl_program program)
{
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    const char *text = "kernel void scale() {}";
    std::string options = "-w";
    if (argc > 1)
        options += " -DDOUBLE";
    options = options + " -DN=" + std::to_string(4);
    // program: options=-w -DN=4 | -w -DDOUBLE -DN=4
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, options.c_str(), NULL, NULL);
    launch(context, program);
    int tile = 16;
    if (argc > 2)
        tile = 8;
    std::ostringstream stream;
    stream << "-DTILE=" << tile;
    // program: options=-DTILE=16 | -DTILE=8
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, stream.str().c_str(), NULL, NULL);
    launch(context, program);
    return 0;
}
