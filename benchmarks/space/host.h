/* What the hosts of this folder share. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "error: %s: %d\n", what, (int)error);
    exit(1);
}

static char *text_of(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "error: cannot read %s\n", name);
        exit(1);
    }
    char *text = calloc(1, 1 << 16);
    text[fread(text, 1, (1 << 16) - 1, file)] = 0;
    fclose(file);
    return text;
}
