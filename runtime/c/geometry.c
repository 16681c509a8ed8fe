/* The NDRange of a launch: its rules, and what a compiled kernel relies on. */
#include "runtime.h"

#include <limits.h>

/* ---- as the original kernel would have been launched ---------------------------------------- */

/* The local size that a task kernel relies on in a dimension; 0: none. */
static size_t relied_local(const struct fpgacc_kernel *info, unsigned dim, size_t global)
{
    for (uint32_t i = 0; i < info->relies_on_count; i++) {
        const struct fpgacc_fact *fact = &info->relies_on[i];
        if (fact->dim != dim)
            continue;
        if (fact->kind == FPGACC_FACT_ONE_GROUP)
            return global;
        if (fact->kind == FPGACC_FACT_LOCAL && fact->value && global % fact->value == 0)
            return (size_t)fact->value;
    }
    return 0;
}

static size_t largest_divisor(size_t number, size_t most)
{
    if (number <= most)
        return number;
    size_t divisor = most ? most : 1;
    while (number % divisor != 0)
        divisor--;
    return divisor;
}

static void choose_local(struct fpgacc_geometry *geometry, const struct fpgacc_kernel *info,
                         const struct fpgacc_limits *limits)
{
    size_t most = limits->max_group_size;
    if (info->max_group_size && info->max_group_size < most)
        most = (size_t)info->max_group_size;
    if (info->null_local == FPGACC_WHOLE) {
        for (unsigned d = 0; d < geometry->work_dim; d++)
            geometry->local[d] = geometry->global[d];
        return;
    }
    for (unsigned d = 1; d < geometry->work_dim; d++) {
        size_t local = relied_local(info, d, geometry->global[d]);
        geometry->local[d] = local ? local : 1;
        most /= geometry->local[d];
    }
    size_t local = relied_local(info, 0, geometry->global[0]);
    geometry->local[0] = local ? local : largest_divisor(geometry->global[0], most);
}

static cl_int check_local(const struct fpgacc_geometry *geometry,
                          const struct fpgacc_tracked *kernel,
                          const struct fpgacc_limits *limits)
{
    size_t group = 1;
    for (unsigned d = 0; d < geometry->work_dim; d++) {
        size_t local = geometry->local[d];
        if (local == 0 || local > limits->max_group_size / group)
            return CL_INVALID_WORK_GROUP_SIZE;
        group *= local;
    }
    for (unsigned d = 0; d < geometry->work_dim; d++)
        if (geometry->local[d] > limits->max_item_sizes[d])
            return CL_INVALID_WORK_ITEM_SIZE;
    for (unsigned d = 0; d < geometry->work_dim && !kernel->nonuniform; d++)
        if (geometry->global[d] % geometry->local[d] != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
    const uint64_t *required = kernel->info->reqd_work_group_size;
    for (unsigned d = 0; required && d < 3; d++)
        if (geometry->local[d] != required[d])
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

cl_int fpgacc_geometry_fill(struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                            const struct fpgacc_kernel *info, const struct fpgacc_limits *limits,
                            const size_t *offset, const size_t *global, const size_t *local)
{
    for (unsigned d = 0; d < 3; d++) {
        int inside = d < geometry->work_dim;
        geometry->offset[d] = inside && offset ? offset[d] : 0;
        geometry->global[d] = inside ? global[d] : 1;
        geometry->local[d] = inside && local ? local[d] : 1;
        if (geometry->offset[d] > SIZE_MAX - geometry->global[d])
            return CL_INVALID_GLOBAL_OFFSET;
    }
    if (local)
        return check_local(geometry, kernel, limits);
    if (info->reqd_work_group_size)
        return CL_INVALID_WORK_GROUP_SIZE;
    choose_local(geometry, info, limits);
    return CL_SUCCESS;
}

/* ---- what the compiled kernel relies on ----------------------------------------------------- */

void fpgacc_add_sizes(struct fpgacc_text *text, const size_t *sizes, cl_uint count)
{
    for (cl_uint d = 0; d < count; d++)
        fpgacc_text_add(text, "%s%zu", d ? "x" : "", sizes[d]);
}

/* Says that a launch is refused, with its geometry. */
static cl_int refuse(const struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                     int local_given, const struct fpgacc_site *site, cl_int error,
                     const struct fpgacc_text *fact, const struct fpgacc_text *help)
{
    struct fpgacc_text launch = {0};
    fpgacc_text_add(&launch, "work_dim %u, offset ", geometry->work_dim);
    fpgacc_add_sizes(&launch, geometry->offset, geometry->work_dim);
    fpgacc_text_add(&launch, ", global size ");
    fpgacc_add_sizes(&launch, geometry->global, geometry->work_dim);
    fpgacc_text_add(&launch, ", local size ");
    if (!local_given)
        fpgacc_text_add(&launch, "NULL, taken as ");
    fpgacc_add_sizes(&launch, geometry->local, geometry->work_dim);
    fpgacc_report(FPGACC_ERROR, site,
                  "kernel `%s` is not launched: it was compiled for %s (%s)\n"
                  "note: the launch has %s\n"
                  "help: %s",
                  kernel->info->name, fact->data ? fact->data : "another launch",
                  fpgacc_error_name(error), launch.data ? launch.data : "another geometry",
                  help->data ? help->data : "compile again");
    fpgacc_text_free(&launch);
    return error;
}

/* CL_SUCCESS if the fact holds, else the fitting error and the fact in words. */
static cl_int check_fact(const struct fpgacc_geometry *geometry, const struct fpgacc_fact *fact,
                         struct fpgacc_text *words)
{
    unsigned d = fact->dim;
    unsigned long long value = fact->value;
    unsigned long long has;
    switch (fact->kind) {
    case FPGACC_FACT_WORK_DIM:
        if (geometry->work_dim == fact->value)
            return CL_SUCCESS;
        fpgacc_text_add(words, "work_dim %llu, this launch has %u", value, geometry->work_dim);
        return CL_INVALID_WORK_DIMENSION;
    case FPGACC_FACT_OFFSET:
        has = geometry->offset[d];
        if (has == value)
            return CL_SUCCESS;
        fpgacc_text_add(words, "offset %llu in dimension %u, this launch has %llu", value, d, has);
        return CL_INVALID_GLOBAL_OFFSET;
    case FPGACC_FACT_GLOBAL:
        has = geometry->global[d];
        if (has == value)
            return CL_SUCCESS;
        fpgacc_text_add(words, "global size %llu in dimension %u, this launch has %llu", value, d,
                        has);
        return CL_INVALID_GLOBAL_WORK_SIZE;
    case FPGACC_FACT_LOCAL:
        has = geometry->local[d];
        if (has == value)
            return CL_SUCCESS;
        fpgacc_text_add(words, "local size %llu in dimension %u, this launch has %llu", value, d,
                        has);
        return CL_INVALID_WORK_GROUP_SIZE;
    case FPGACC_FACT_ONE_GROUP:
        has = geometry->local[d];
        if (geometry->global[d] == has)
            return CL_SUCCESS;
        fpgacc_text_add(words, "one work-group in dimension %u, this launch has %zu", d,
                        geometry->global[d] / geometry->local[d]);
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

/* What is checked without a fact in the manifest. */
static cl_int check_always(const struct fpgacc_geometry *geometry,
                           const struct fpgacc_kernel *info, struct fpgacc_text *words,
                           struct fpgacc_text *help)
{
    uint64_t group = 1;
    for (unsigned d = 0; d < 3; d++) {
        /* Neither term can overflow the sum: geometry_fill looked. */
        if (geometry->offset[d] + geometry->global[d] > INT_MAX) {
            fpgacc_text_add(words, "ids up to %d, this launch has %zu in dimension %u", INT_MAX,
                            geometry->offset[d] + geometry->global[d], d);
            return geometry->global[d] > INT_MAX ? CL_INVALID_GLOBAL_WORK_SIZE
                                                 : CL_INVALID_GLOBAL_OFFSET;
        }
        if (geometry->global[d] % geometry->local[d] != 0) {
            fpgacc_text_add(words, "work-groups of equal size, this launch has a smaller one in "
                                   "dimension %u",
                            d);
            return CL_INVALID_WORK_GROUP_SIZE;
        }
        group = group > UINT64_MAX / geometry->local[d] ? UINT64_MAX
                                                        : group * geometry->local[d];
    }
    if (info->holds_no_more && info->max_group_size && group > info->max_group_size) {
        fpgacc_text_add(words, "at most %llu work-items in a group, this launch has %llu",
                        (unsigned long long)info->max_group_size, (unsigned long long)group);
        fpgacc_text_add(help, "--max-local-size=%llu, with ", (unsigned long long)group);
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

cl_int fpgacc_check_facts(const struct fpgacc_geometry *geometry,
                          const struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                          int local_given, const struct fpgacc_site *site)
{
    struct fpgacc_text words = {0};
    struct fpgacc_text help = {0};
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < info->relies_on_count && error == CL_SUCCESS; i++)
        error = check_fact(geometry, &info->relies_on[i], &words);
    int is_fact = error != CL_SUCCESS;
    if (!is_fact)
        error = check_always(geometry, info, &words, &help);
    if (error != CL_SUCCESS && site) {
        struct fpgacc_text remedy = {0};
        fpgacc_text_add(&remedy, "compile again with %s%s--keep-general, or with "
                                 "-fno-ndrange-to-loop",
                        is_fact ? "a launch facts file (.yaml) that has this launch, with " : "",
                        help.data ? help.data : "");
        refuse(geometry, kernel, local_given, site, error, &words, &remedy);
        fpgacc_text_free(&remedy);
    }
    fpgacc_text_free(&words);
    fpgacc_text_free(&help);
    return error;
}

/* CL_SUCCESS if the local size is the one that an NDRange kernel's attributes ask for. */
static cl_int check_required(const struct fpgacc_geometry *geometry,
                             const struct fpgacc_kernel *info, int local_given,
                             struct fpgacc_text *words)
{
    if (!local_given) {
        fpgacc_text_add(words, "a local size, this launch gives none");
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < info->relies_on_count && error == CL_SUCCESS; i++)
        error = check_fact(geometry, &info->relies_on[i], words);
    for (unsigned d = 0; d < geometry->work_dim && error == CL_SUCCESS; d++) {
        if (geometry->global[d] % geometry->local[d] == 0)
            continue;
        fpgacc_text_add(words, "work-groups of equal size, this launch has a smaller one in "
                               "dimension %u",
                        d);
        error = CL_INVALID_WORK_GROUP_SIZE;
    }
    return error;
}

cl_int fpgacc_check_range(const struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                          cl_uint work_dim, const size_t *offset, const size_t *global,
                          const size_t *local, const struct fpgacc_site *site)
{
    struct fpgacc_geometry geometry = {work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    /* What no kernel takes is the implementation's to refuse. */
    if (info->relies_on_count == 0 || work_dim < 1 || work_dim > 3 || !global)
        return CL_SUCCESS;
    for (unsigned d = 0; d < work_dim; d++) {
        geometry.offset[d] = offset ? offset[d] : 0;
        geometry.global[d] = global[d];
        geometry.local[d] = local ? local[d] : 1;
        if (geometry.local[d] == 0)
            return CL_SUCCESS;
    }
    struct fpgacc_text words = {0};
    cl_int error = check_required(&geometry, info, local != NULL, &words);
    if (error != CL_SUCCESS && site) {
        struct fpgacc_text remedy = {0};
        fpgacc_text_add(&remedy, "compile again with a launch facts file (.yaml) that has this "
                                 "launch, with --keep-general, or with -fno-work-group-size");
        refuse(&geometry, kernel, local != NULL, site, error, &words, &remedy);
        fpgacc_text_free(&remedy);
    }
    fpgacc_text_free(&words);
    return error;
}
