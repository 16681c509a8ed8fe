// Where a file cannot be opened, a function that returns a string returns NULL, of which no string is made.
#include "common.h"
#include <fstream>
#include <sstream>
#include <string>

static std::string text_of(const char *name, bool *found)
{
    std::ifstream file(name);
    if (!file.is_open()) {
        *found = false;
        return NULL;
    }
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

int main()
{
    cl_context context = make_context();
    bool found = true;
    size_t global = 64;
    try {
        std::string text = text_of("kernels/scale.cl", &found);
        const char *source = text.c_str();
        // program: sources=<kernels/scale.cl>; options=-DN=8; kernels=scale
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
        clBuildProgram(program, 0, NULL, "-DN=8", NULL, NULL);
        cl_kernel kernel = clCreateKernel(program, "scale", NULL);
        // launch: kernel=scale; dim=1; global=64; local=NULL
        clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    } catch (std::logic_error &) {
        return found;
    }
    return 0;
}
