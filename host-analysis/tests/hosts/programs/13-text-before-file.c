// A loader puts text before what it reads from a file, and gives zero where it cannot.
#include "common.h"
#include <string.h>

static char *load(const char *name, const char *before, size_t *whole)
{
    size_t head = strlen(before), length;
    FILE *file = fopen(name, "rb");
    if (file == 0)
        return NULL;
    fseek(file, 0, SEEK_END);
    length = ftell(file);
    fseek(file, 0, SEEK_SET);
    char *text = (char *)malloc(head + length + 1);
    memcpy(text, before, head);
    if (fread(text + head, length, 1, file) != 1) {
        fclose(file);
        free(text);
        return 0;
    }
    fclose(file);
    *whole = head + length;
    text[head + length] = '\0';
    return text;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    size_t length;
    char *source = load("scale.cl", "// loaded\n", &length);
    // program: sources="// loaded\n" <scale.cl>; options=; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, &length, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    char *given = load("scale.cl", argv[1], &length);
    // program: sources=? ; options=; kernels=scale
    cl_program another = clCreateProgramWithSource(context, 1, (const char **)&given, &length, NULL);
    clBuildProgram(another, 0, NULL, NULL, NULL, NULL);
    cl_kernel other = clCreateKernel(another, "scale", NULL);
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), other, 1, NULL, &global, NULL, 0, NULL, NULL);

    // Bytes that are copied over the start of a text leave the rest.
    char options[] = "-DN=1 -w";
    memcpy(options, "-DM", 3);
    char shorter[16] = "-cl-mad-enable";
    memcpy(shorter, "-w", 3);
    // program: sources="kernel void f() {}"; options=-DM=1 -w | -w; kernels=
    const char *text = "kernel void f() {}";
    cl_program third = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(third, 0, NULL, options, NULL, NULL);
    clBuildProgram(third, 0, NULL, shorter, NULL, NULL);
    return 0;
}
