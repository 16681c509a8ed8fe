/* What a host has for plug_in.c. */
#include <dlfcn.h>

typedef int (*reader)(cl_command_queue queue, cl_mem memory);

static reader plugged;

void plug_in(reader read);

void plug_in(reader read)
{
    plugged = read;
}

static void past(cl_command_queue queue, cl_mem memory)
{
    if (!plugged && !dlopen("./libplug_in.so", RTLD_NOW))
        puts(dlerror());
    printf("past %d\n", plugged(queue, memory));
}
