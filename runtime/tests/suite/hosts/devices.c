/* devices: requests for each type of device. */
#include "ocl.h"

static void request(const char *name, cl_platform_id from, cl_device_type type)
{
    cl_device_id found = NULL;
    cl_device_type its_type = 0;
    cl_uint count = 99;
    cl_int error = clGetDeviceIDs(from, type, 1, &found, &count);
    if (error == CL_SUCCESS)
        clGetDeviceInfo(found, CL_DEVICE_TYPE, sizeof its_type, &its_type, NULL);
    printf("%s: %d, %u, type %d\n", name, error, count, (int)its_type);
}

int main(int argc, char **argv)
{
    (void)argc;
    char name[256];
    cl_uint count = 99;
    check(clGetPlatformIDs(0, NULL, &count), "clGetPlatformIDs");
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "name");
    printf("%u platform: %s\n", count, name);
    printf("bad requests: %d %d\n", clGetPlatformIDs(0, NULL, NULL),
           clGetPlatformIDs(0, &platform, NULL));
    if (strcmp(argv[1], "all") == 0)
        request("all", platform, CL_DEVICE_TYPE_ALL);
    if (strcmp(argv[1], "gpu") == 0) {
        request("gpu", platform, CL_DEVICE_TYPE_GPU);
        request("default", NULL, CL_DEVICE_TYPE_DEFAULT);
        request("all", platform, CL_DEVICE_TYPE_ALL);
    }
    if (strcmp(argv[1], "two") == 0) {
        request("cpu", platform, CL_DEVICE_TYPE_CPU);
        request("accelerator", NULL, CL_DEVICE_TYPE_ACCELERATOR);
        request("gpu or cpu", platform, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU);
        request("custom", platform, CL_DEVICE_TYPE_CUSTOM);
    }
    if (strcmp(argv[1], "context") == 0) {
        cl_int error = 99;
        cl_device_type type = 0;
        cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM,
                                               (cl_context_properties)platform, 0};
        context = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &error);
        check(error, "clCreateContextFromType");
        check(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), "device");
        clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
        cl_bool compiler = CL_FALSE;
        clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
        printf("type %d, compiler %u\n", (int)type, compiler);
        check(clReleaseContext(context), "clReleaseContext");
        context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &error);
        printf("%d %d\n", context != NULL, error);
    }
    return 0;
}
