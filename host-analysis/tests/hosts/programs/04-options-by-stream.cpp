// Options are written to a string stream; the text comes from an input stream.
#include "common.h"
#include <fstream>
#include <sstream>
#include <string>

int main()
{
    cl_context context = make_context();
    std::ifstream file("scale.cl");
    std::stringstream text;
    text << file.rdbuf();
    std::string source = text.str();
    const char *pointer = source.c_str();
    std::ostringstream options;
    options << "-DWIDTH=" << 4 << " -Werror";
    // program: sources=<scale.cl>; options=-DWIDTH=4 -Werror; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, &pointer, NULL, NULL);
    clBuildProgram(program, 0, NULL, options.str().c_str(), NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
