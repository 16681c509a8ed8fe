// Which options a program is built with depends on the path: each of them is known.
#include "common.h"

static const char *text = "kernel void scale() {}";

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
    char appended[64] = "-w", copied[64], formatted[64];
    if (argc > 1)
        strcat(appended, " -DDOUBLE");
    strcat(appended, " -DN=4");
    // program: options=-w -DN=4 | -w -DDOUBLE -DN=4
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, appended, NULL, NULL);
    launch(context, program);
    // program: options=-DA | -DB
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, argc > 2 ? "-DA" : "-DB", NULL, NULL);
    launch(context, program);
    if (argc > 3)
        strcpy(copied, "-DC");
    else
        sprintf(copied, "-DD=%d", 4);
    // program: options=-DD=4 | -DC
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, copied, NULL, NULL);
    launch(context, program);
    int tile = argc > 4 ? 8 : 16;
    char *made;
    sprintf(formatted, "-DTILE=%d %s", tile, "-DX");
    asprintf(&made, "%s -DY", formatted);
    // program: options=-DTILE=8 -DX -DY | -DTILE=16 -DX -DY
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, made, NULL, NULL);
    launch(context, program);
    return 0;
}
