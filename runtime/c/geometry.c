/* The NDRange of a launch, as the original kernel would have been launched. */
#include "runtime.h"

/* The local size that a task kernel relies on in a dimension; 0: none. */
static size_t relied_local(const struct fpgacc_kernel *info, unsigned dim, size_t global)
{
    for (uint32_t i = 0; i < info->guard_count; i++) {
        const struct fpgacc_guard *guard = &info->guards[i];
        if (guard->kind != FPGACC_GUARD_GEOMETRY || guard->of.fact.dim != dim)
            continue;
        uint64_t value = guard->of.fact.value;
        if (guard->of.fact.kind == FPGACC_FACT_ONE_GROUP)
            return global;
        if (guard->of.fact.kind == FPGACC_FACT_LOCAL && value && global % value == 0)
            return (size_t)value;
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

static int divides(const size_t *local, const size_t *global)
{
    for (unsigned d = 0; d < 3; d++)
        if (global[d] % local[d] != 0)
            return 0;
    return 1;
}

static int is_exactly(const size_t *sizes, const size_t *others)
{
    return sizes[0] == others[0] && sizes[1] == others[1] && sizes[2] == others[2];
}

/* The one for this global size, or else the first that divides it. */
static const struct fpgacc_chosen *find_chosen(const struct fpgacc_kernel *info,
                                               const size_t *global)
{
    const struct fpgacc_chosen *found = NULL;
    for (uint32_t i = 0; i < info->chosen_count; i++) {
        const struct fpgacc_chosen *one = &info->chosen[i];
        if (is_exactly(one->global, global))
            return one;
        if (!found && divides(one->local, global))
            found = one;
    }
    return found;
}

/* Whether the device takes groups of a size for a kernel whose groups may have `most` work-items. */
static int is_taken(const size_t *local, size_t most, const struct fpgacc_limits *limits)
{
    size_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        if (!local[d] || local[d] > limits->max_item_sizes[d] || local[d] > most / items)
            return 0;
        items *= local[d];
    }
    return 1;
}

/* The NDRange as the host gives it. */
static void take_range(struct fpgacc_geometry *geometry, const size_t *offset,
                       const size_t *global, const size_t *local)
{
    for (unsigned d = 0; d < 3; d++) {
        int inside = d < geometry->work_dim;
        geometry->offset[d] = inside && offset ? offset[d] : 0;
        geometry->global[d] = inside ? global[d] : 1;
        geometry->local[d] = inside && local ? local[d] : 1;
    }
}

cl_int fpgacc_geometry_fill(struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                            const struct fpgacc_kernel *info, const struct fpgacc_limits *limits,
                            const size_t *offset, const size_t *global, const size_t *local)
{
    take_range(geometry, offset, global, local);
    for (unsigned d = 0; d < 3; d++)
        if (geometry->offset[d] > SIZE_MAX - geometry->global[d])
            return CL_INVALID_GLOBAL_OFFSET;
    if (local)
        return check_local(geometry, kernel, limits);
    if (info->reqd_work_group_size)
        return CL_INVALID_WORK_GROUP_SIZE;
    choose_local(geometry, info, limits);
    return CL_SUCCESS;
}

int fpgacc_geometry_take(struct fpgacc_geometry *geometry, const size_t *offset,
                         const size_t *global, const size_t *local)
{
    if (geometry->work_dim < 1 || geometry->work_dim > 3 || !global)
        return 0;
    take_range(geometry, offset, global, local);
    return geometry->local[0] && geometry->local[1] && geometry->local[2];
}

int fpgacc_geometry_choose(struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                           const struct fpgacc_kernel *info, const struct fpgacc_limits *limits,
                           size_t most, int local_given)
{
    const struct fpgacc_chosen *chosen = find_chosen(info, geometry->global);
    if (!chosen)
        return 0;
    struct fpgacc_geometry made = *geometry;
    for (unsigned d = 0; d < 3; d++)
        made.local[d] = chosen->local[d];
    if (info->form == FPGACC_COARSENED)
        fpgacc_geometry_coarsen(&made, info);
    if (!is_taken(made.local, most, limits))
        return 0;
    /* What is wrong with the host's own size is reported as it was. */
    if (local_given && check_local(geometry, kernel, limits) != CL_SUCCESS)
        return 0;
    for (unsigned d = 0; d < 3; d++)
        geometry->local[d] = chosen->local[d];
    return 1;
}

void fpgacc_geometry_coarsen(struct fpgacc_geometry *geometry, const struct fpgacc_kernel *info)
{
    unsigned dim = info->coarsened.dim;
    geometry->global[0] /= info->coarsened.lanes;
    geometry->local[0] /= info->coarsened.lanes;
    geometry->global[dim] /= info->coarsened.factor;
    if (info->coarsened.merges_items)
        geometry->local[dim] /= info->coarsened.factor;
}

void fpgacc_add_sizes(struct fpgacc_text *text, const size_t *sizes, cl_uint count)
{
    for (cl_uint d = 0; d < count; d++)
        fpgacc_text_add(text, "%s%zu", d ? "x" : "", sizes[d]);
}
