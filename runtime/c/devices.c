/* Requests for a GPU or CPU are served by the FPGA device. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 64

/* What the host asked for when it got a device; 0 after two different questions. */
struct asked {
    cl_device_id device;
    cl_device_type type;
};

static struct asked asked[MAX_DEVICES];
static size_t asked_count;

static int is_specific(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_GPU || type == CL_DEVICE_TYPE_CPU ||
           type == CL_DEVICE_TYPE_ACCELERATOR;
}

static void remember(cl_device_id device, cl_device_type type)
{
    if (!is_specific(type))
        return;
    pthread_mutex_lock(&fpgacc_lock);
    size_t i = 0;
    while (i < asked_count && asked[i].device != device)
        i++;
    if (i < asked_count) {
        if (asked[i].type != type)
            asked[i].type = 0;
    } else if (i < MAX_DEVICES) {
        asked[i].device = device;
        asked[i].type = type;
        asked_count++;
    }
    pthread_mutex_unlock(&fpgacc_lock);
}

static cl_device_type type_asked_for(cl_device_id device)
{
    cl_device_type type = 0;
    pthread_mutex_lock(&fpgacc_lock);
    for (size_t i = 0; i < asked_count; i++)
        if (asked[i].device == device)
            type = asked[i].type;
    pthread_mutex_unlock(&fpgacc_lock);
    return type;
}

/* FPGACC_DEVICE_TYPE, for hosts that list all devices and look for a type among them. */
static cl_device_type type_from_environment(void)
{
    const char *name = fpgacc_environment("FPGACC_DEVICE_TYPE");
    if (!name)
        return 0;
    if (strcmp(name, "gpu") == 0)
        return CL_DEVICE_TYPE_GPU;
    if (strcmp(name, "cpu") == 0)
        return CL_DEVICE_TYPE_CPU;
    if (strcmp(name, "accelerator") == 0)
        return CL_DEVICE_TYPE_ACCELERATOR;
    fpgacc_report(FPGACC_WARNING, NULL,
                  "FPGACC_DEVICE_TYPE is `%s`\n"
                  "help: it takes gpu, cpu or accelerator",
                  name);
    return 0;
}

static int can_stand_in_for(cl_device_type type)
{
    const cl_device_type stands_for = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                      CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    return (type & stands_for) != 0;
}

cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                             cl_device_id *devices, cl_uint *count)
{
    if (!platform)
        platform = fpgacc_default_platform();
    cl_uint found = 0;
    cl_int error = __real_clGetDeviceIDs(platform, type, num_entries, devices, &found);
    if (error == CL_DEVICE_NOT_FOUND && can_stand_in_for(type)) {
        error = __real_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, num_entries, devices, &found);
        if (error == CL_SUCCESS)
            fpgacc_trace("a request for another type of device is served by what there is");
    }
    if (count)
        *count = error == CL_SUCCESS ? found : 0;
    if (error != CL_SUCCESS)
        return error;
    for (cl_uint i = 0; devices && i < found && i < num_entries; i++)
        remember(devices[i], type);
    return CL_SUCCESS;
}

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                              size_t *size_ret)
{
    cl_int error = __real_clGetDeviceInfo(device, name, size, value, size_ret);
    if (error != CL_SUCCESS || !value || !fpgacc_is_target_device(device))
        return error;
    if (name == CL_DEVICE_TYPE) {
        cl_device_type type = type_from_environment();
        if (!type)
            type = type_asked_for(device);
        if (type)
            memcpy(value, &type, sizeof type);
    }
    /* The programs that the host will build are compiled already. */
    if (name == CL_DEVICE_COMPILER_AVAILABLE && fpgacc_manifest.program_count > 0) {
        cl_bool yes = CL_TRUE;
        memcpy(value, &yes, sizeof yes);
    }
    return error;
}

/* The host's properties with the target's platform put in if they name none; to free. */
static cl_context_properties *with_platform(const cl_context_properties *properties)
{
    size_t count = 0;
    for (; properties && properties[count]; count += 2)
        if (properties[count] == CL_CONTEXT_PLATFORM && properties[count + 1])
            return NULL;
    cl_platform_id platform = fpgacc_default_platform();
    cl_context_properties *out = platform ? calloc(count + 3, sizeof *out) : NULL;
    if (!out)
        return NULL;
    size_t used = 0;
    out[used++] = CL_CONTEXT_PLATFORM;
    out[used++] = (cl_context_properties)platform;
    for (size_t i = 0; i < count; i += 2) {
        if (properties[i] == CL_CONTEXT_PLATFORM)
            continue;
        out[used++] = properties[i];
        out[used++] = properties[i + 1];
    }
    return out;
}

cl_context __wrap_clCreateContextFromType(const cl_context_properties *properties,
                                          cl_device_type type, fpgacc_context_notify notify,
                                          void *user_data, cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_context_properties *own = with_platform(properties);
    const cl_context_properties *used = own ? own : properties;
    cl_context context = __real_clCreateContextFromType(used, type, notify, user_data, &error);
    /* PoCL gives a context without devices together with the error. */
    if (error == CL_DEVICE_NOT_FOUND && can_stand_in_for(type))
        context = __real_clCreateContextFromType(used, CL_DEVICE_TYPE_ALL, notify, user_data,
                                                 &error);
    free(own);
    if (errcode_ret)
        *errcode_ret = error;
    if (error != CL_SUCCESS)
        return NULL;
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(context, &count);
    for (cl_uint i = 0; i < count; i++)
        remember(devices[i], type);
    free(devices);
    return context;
}

cl_device_id *fpgacc_context_devices(cl_context context, cl_uint *count)
{
    size_t size = 0;
    *count = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size) != CL_SUCCESS || size == 0)
        return NULL;
    cl_device_id *devices = malloc(size);
    if (!devices)
        return NULL;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL) != CL_SUCCESS) {
        free(devices);
        return NULL;
    }
    *count = (cl_uint)(size / sizeof *devices);
    return devices;
}

size_t fpgacc_context_alignment(cl_context context)
{
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(context, &count);
    size_t least = 0;
    for (cl_uint i = 0; i < count; i++) {
        cl_uint bits = 0;
        cl_int error = __real_clGetDeviceInfo(devices[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                                              sizeof bits, &bits, NULL);
        size_t bytes = error == CL_SUCCESS && bits >= 8 ? bits / 8 : 1;
        if (i == 0 || bytes < least)
            least = bytes;
    }
    free(devices);
    return least ? least : 1;
}

int fpgacc_has_compiler(cl_device_id device)
{
    cl_bool available = CL_FALSE;
    return __real_clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof available,
                                  &available, NULL) == CL_SUCCESS &&
           available;
}

static cl_int query_limits(cl_device_id device, struct fpgacc_limits *limits)
{
    /* A device may have more than three dimensions of work-items. */
    size_t sizes[16] = {0};
    size_t size = 0;
    cl_int error = __real_clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                          sizeof limits->max_group_size, &limits->max_group_size,
                                          NULL);
    if (error == CL_SUCCESS)
        error = __real_clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes,
                                       &size);
    if (error != CL_SUCCESS)
        return error;
    for (size_t i = 0; i < 3; i++)
        limits->max_item_sizes[i] = sizes[i] ? sizes[i] : limits->max_group_size;
    return CL_SUCCESS;
}

/* Asked at each launch, so kept. */
cl_int fpgacc_device_limits(cl_device_id device, struct fpgacc_limits *limits)
{
    static cl_device_id known[MAX_DEVICES];
    static struct fpgacc_limits kept[MAX_DEVICES];
    static size_t count;
    int found = 0;
    pthread_mutex_lock(&fpgacc_lock);
    for (size_t i = 0; i < count && !found; i++) {
        found = known[i] == device;
        if (found)
            *limits = kept[i];
    }
    pthread_mutex_unlock(&fpgacc_lock);
    if (found)
        return CL_SUCCESS;
    cl_int error = query_limits(device, limits);
    if (error != CL_SUCCESS)
        return error;
    pthread_mutex_lock(&fpgacc_lock);
    if (count < MAX_DEVICES) {
        known[count] = device;
        kept[count++] = *limits;
    }
    pthread_mutex_unlock(&fpgacc_lock);
    return CL_SUCCESS;
}
