// A function reads the text from a file whose name is a definition.
#include "common.h"

#define NAME "scale"

static char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    char *text = (char *)malloc(*length + 1);
    if (fread(text, 1, *length, file) != *length)
        exit(1);
    text[*length] = '\0';
    fclose(file);
    return text;
}

int main(void)
{
    cl_context context = make_context();
    size_t length;
    char *source = read_file("kernels/" NAME ".cl", &length);
    // program: sources=<kernels/scale.cl>; options=-cl-mad-enable; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, &length, NULL);
    clBuildProgram(program, 0, NULL, "-cl-mad-enable", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
