/* Guards of the NDRange of a launch. */
#include "runtime.h"

#include <limits.h>

#define SEEN "a launch facts file (.yaml) that has this launch, with "
#define OF_LOOPS "--keep-general, or with -fno-ndrange-to-loop"
#define OF_LANES "--keep-general, or with -fno-coarsen"
#define OF_ROUNDS "--keep-general, or with -fno-coarsen and -fno-group-loop"
#define OF_SIZES "--keep-general, or with -fno-known-sizes"
#define OF_TILES "--keep-general, or with -fno-tile"

/* Adds the way out, and that the NDRange is shown. */
static void add_help(struct fpgacc_refusal *refusal, const char *help)
{
    if (!refusal)
        return;
    refusal->shows_range = 1;
    fpgacc_text_add(&refusal->help, "%s", help);
}

/* Adds the way out for a kernel of which work-items or groups are one. */
static void add_help_merged(struct fpgacc_refusal *refusal, const struct fpgacc_kernel *info,
                            int is_seen)
{
    if (refusal && is_seen)
        fpgacc_text_add(&refusal->help, "%s", SEEN);
    add_help(refusal, info->coarsened.merges_items ? OF_LANES : OF_ROUNDS);
}

/* CL_SUCCESS if a part of the NDRange is what the kernel was compiled for. */
static cl_int compare(const char *part, uint64_t compiled, unsigned dim, size_t has, cl_int error,
                      struct fpgacc_refusal *refusal)
{
    if (has == compiled)
        return CL_SUCCESS;
    if (refusal)
        fpgacc_text_add(&refusal->what, "for %s %llu in dimension %u, this launch has %zu", part,
                        (unsigned long long)compiled, dim, has);
    return error;
}

/* CL_SUCCESS if all groups have as many work-items in a dimension. */
static cl_int compare_groups(const struct fpgacc_geometry *geometry, unsigned dim,
                             struct fpgacc_refusal *refusal)
{
    if (geometry->global[dim] % geometry->local[dim] == 0)
        return CL_SUCCESS;
    if (refusal)
        fpgacc_text_add(&refusal->what, "for work-groups of equal size, this launch has a smaller "
                                        "one in dimension %u",
                        dim);
    return CL_INVALID_WORK_GROUP_SIZE;
}

static cl_int check_fact(const struct fpgacc_geometry *geometry, const struct fpgacc_guard *guard,
                         struct fpgacc_refusal *refusal)
{
    unsigned d = guard->of.fact.dim;
    uint64_t value = guard->of.fact.value;
    switch (guard->of.fact.kind) {
    case FPGACC_FACT_WORK_DIM:
        if (geometry->work_dim == value)
            return CL_SUCCESS;
        if (refusal)
            fpgacc_text_add(&refusal->what, "for work_dim %llu, this launch has %u",
                            (unsigned long long)value, geometry->work_dim);
        return CL_INVALID_WORK_DIMENSION;
    case FPGACC_FACT_OFFSET:
        return compare("offset", value, d, geometry->offset[d], CL_INVALID_GLOBAL_OFFSET, refusal);
    case FPGACC_FACT_GLOBAL:
        return compare("global size", value, d, geometry->global[d], CL_INVALID_GLOBAL_WORK_SIZE,
                       refusal);
    case FPGACC_FACT_LOCAL:
        return compare("local size", value, d, geometry->local[d], CL_INVALID_WORK_GROUP_SIZE,
                       refusal);
    case FPGACC_FACT_ONE_GROUP:
        break;
    }
    if (geometry->global[d] == geometry->local[d])
        return CL_SUCCESS;
    if (refusal)
        fpgacc_text_add(&refusal->what, "for one work-group in dimension %u, this launch has %zu",
                        d, geometry->global[d] / geometry->local[d]);
    return CL_INVALID_WORK_GROUP_SIZE;
}

/* Whether a fact is about the local size of a launch that leaves it to the implementation. */
static int is_open(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard)
{
    int is_local = guard->of.fact.kind == FPGACC_FACT_LOCAL ||
                   guard->of.fact.kind == FPGACC_FACT_ONE_GROUP;
    return is_local && !launch->local_given;
}

/* Of a kernel that is launched over its NDRange. */
static cl_int check_range(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                          struct fpgacc_refusal *refusal)
{
    cl_int error = CL_INVALID_WORK_GROUP_SIZE;
    /* What no kernel takes is the implementation's to refuse. */
    if (!launch->geometry)
        return CL_SUCCESS;
    if (!is_open(launch, guard))
        error = check_fact(launch->geometry, guard, refusal);
    else if (refusal)
        fpgacc_text_add(&refusal->what, "for a local size, this launch gives none");
    if (error != CL_SUCCESS && launch->info->form == FPGACC_COARSENED)
        add_help_merged(refusal, launch->info, 1);
    else if (error != CL_SUCCESS)
        add_help(refusal, SEEN OF_SIZES);
    return error;
}

cl_int fpgacc_guard_geometry(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                             struct fpgacc_refusal *refusal)
{
    if (launch->info->form != FPGACC_TASK)
        return check_range(launch, guard, refusal);
    cl_int error = check_fact(launch->geometry, guard, refusal);
    if (error != CL_SUCCESS)
        add_help(refusal, SEEN OF_LOOPS);
    return error;
}

/* CL_SUCCESS if ids fit in int in a dimension. Neither term can overflow the sum: geometry_fill looked. */
static cl_int compare_ids(const struct fpgacc_geometry *geometry, unsigned dim,
                          struct fpgacc_refusal *refusal)
{
    size_t end = geometry->offset[dim] + geometry->global[dim];
    if (end <= INT_MAX)
        return CL_SUCCESS;
    if (refusal)
        fpgacc_text_add(&refusal->what, "for ids up to %d, this launch has %zu in dimension %u",
                        INT_MAX, end, dim);
    return geometry->global[dim] > INT_MAX ? CL_INVALID_GLOBAL_WORK_SIZE
                                           : CL_INVALID_GLOBAL_OFFSET;
}

cl_int fpgacc_guard_int_loops(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                              struct fpgacc_refusal *refusal)
{
    cl_int error = CL_SUCCESS;
    (void)guard;
    /* What no kernel takes is the implementation's to refuse. */
    if (!launch->geometry)
        return CL_SUCCESS;
    for (unsigned d = 0; d < 3 && error == CL_SUCCESS; d++) {
        error = compare_ids(launch->geometry, d, refusal);
        if (error == CL_SUCCESS)
            error = compare_groups(launch->geometry, d, refusal);
    }
    if (error != CL_SUCCESS)
        add_help(refusal, launch->info->form == FPGACC_TASK ? OF_LOOPS : OF_TILES);
    return error;
}

cl_int fpgacc_guard_group_size(const struct fpgacc_launch *launch,
                               const struct fpgacc_guard *guard, struct fpgacc_refusal *refusal)
{
    unsigned long long items = 1;
    for (unsigned d = 0; d < 3; d++) {
        size_t local = launch->geometry->local[d];
        items = items > ULLONG_MAX / local ? ULLONG_MAX : items * local;
    }
    if (items <= guard->of.items)
        return CL_SUCCESS;
    if (refusal) {
        fpgacc_text_add(&refusal->what,
                        "for at most %llu work-items in a work-group, this launch has %llu",
                        (unsigned long long)guard->of.items, items);
        fpgacc_text_add(&refusal->help, "--max-local-size=%llu, with ", items);
        add_help(refusal, OF_LOOPS);
    }
    return CL_INVALID_WORK_GROUP_SIZE;
}

static cl_int check_local_size(const struct fpgacc_launch *launch,
                               const struct fpgacc_guard *guard, struct fpgacc_refusal *refusal)
{
    const struct fpgacc_geometry *geometry = launch->geometry;
    cl_int error = CL_SUCCESS;
    if (!launch->local_given) {
        if (refusal)
            fpgacc_text_add(&refusal->what, "for a local size, this launch gives none");
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    for (unsigned d = 0; d < 3 && error == CL_SUCCESS; d++)
        error = compare("local size", guard->of.sizes[d], d, geometry->local[d],
                        CL_INVALID_WORK_GROUP_SIZE, refusal);
    for (unsigned d = 0; d < 3 && error == CL_SUCCESS; d++)
        error = compare_groups(geometry, d, refusal);
    return error;
}

cl_int fpgacc_guard_local_size(const struct fpgacc_launch *launch,
                               const struct fpgacc_guard *guard, struct fpgacc_refusal *refusal)
{
    /* What no kernel takes is the implementation's to refuse. */
    if (!launch->geometry)
        return CL_SUCCESS;
    cl_int error = check_local_size(launch, guard, refusal);
    if (error != CL_SUCCESS)
        add_help(refusal, SEEN "--keep-general, or with -fno-work-group-size");
    return error;
}

/* CL_SUCCESS if a size, or a number of groups, is a multiple. */
static cl_int compare_multiple(const char *part, const struct fpgacc_guard *guard, size_t has,
                               cl_int error, struct fpgacc_refusal *refusal)
{
    if (has % guard->of.multiple.of == 0)
        return CL_SUCCESS;
    if (refusal)
        fpgacc_text_add(&refusal->what,
                        "for %s that %llu divides in dimension %u, this launch has %zu", part,
                        (unsigned long long)guard->of.multiple.of, guard->of.multiple.dim, has);
    return error;
}

static cl_int check_multiple(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                             struct fpgacc_refusal *refusal)
{
    const struct fpgacc_geometry *geometry = launch->geometry;
    unsigned dim = guard->of.multiple.dim;
    if (!launch->local_given && !guard->of.multiple.null_local) {
        if (refusal)
            fpgacc_text_add(&refusal->what, "for a local size, this launch gives none");
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    if (!launch->local_given)
        return compare_multiple("global sizes", guard, geometry->global[dim],
                                CL_INVALID_GLOBAL_WORK_SIZE, refusal);
    cl_int error = CL_SUCCESS;
    for (unsigned d = 0; d < 3 && error == CL_SUCCESS; d++)
        error = compare_groups(geometry, d, refusal);
    if (error != CL_SUCCESS)
        return error;
    if (guard->of.multiple.of_groups)
        return compare_multiple("numbers of work-groups", guard,
                                geometry->global[dim] / geometry->local[dim],
                                CL_INVALID_GLOBAL_WORK_SIZE, refusal);
    return compare_multiple("local sizes", guard, geometry->local[dim], CL_INVALID_WORK_GROUP_SIZE,
                            refusal);
}

cl_int fpgacc_guard_multiple(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                             struct fpgacc_refusal *refusal)
{
    /* What no kernel takes is the implementation's to refuse. */
    if (!launch->geometry)
        return CL_SUCCESS;
    cl_int error = check_multiple(launch, guard, refusal);
    if (error != CL_SUCCESS)
        add_help_merged(refusal, launch->info, 0);
    return error;
}
