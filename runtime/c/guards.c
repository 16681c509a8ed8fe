/* What a compiled kernel relies on: checked at each launch, and what does not hold is reported. */
#include "runtime.h"

static void add_range(struct fpgacc_text *text, const struct fpgacc_launch *launch)
{
    const struct fpgacc_geometry *geometry = launch->geometry;
    fpgacc_text_add(text, "note: the launch has work_dim %u, offset ", geometry->work_dim);
    fpgacc_add_sizes(text, geometry->offset, geometry->work_dim);
    fpgacc_text_add(text, ", global size ");
    fpgacc_add_sizes(text, geometry->global, geometry->work_dim);
    fpgacc_text_add(text, ", local size ");
    if (!launch->local_given)
        fpgacc_text_add(text, "NULL, taken as ");
    fpgacc_add_sizes(text, geometry->local, geometry->work_dim);
    fpgacc_text_add(text, "\n");
}

/* Whether a kernel has a version that takes any launch, though none should need it: the last one. */
static int has_spare(const struct fpgacc_kernel *info)
{
    return info->other_count && info->others[info->other_count - 1].is_spare;
}

static void report(const struct fpgacc_launch *launch, const struct fpgacc_site *site,
                   cl_int error, const struct fpgacc_refusal *refusal)
{
    struct fpgacc_text note = {0};
    if (refusal->shows_range)
        add_range(&note, launch);
    const char *notes = note.data ? note.data : "";
    const char *help = refusal->help.data ? refusal->help.data : "--keep-general";
    if (has_spare(launch->kernel->info))
        fpgacc_report(FPGACC_WARNING, site,
                      "kernel `%s` runs as it was written: rewritten it was compiled %s\n"
                      "%snote: on a board this launch would fail (%s)\n"
                      "help: compile with %s",
                      launch->kernel->info->name, refusal->what.data, notes,
                      fpgacc_error_name(error), help);
    else
        fpgacc_report(FPGACC_ERROR, site,
                      "kernel `%s` is not launched: it was compiled %s (%s)\n"
                      "%shelp: compile again with %s",
                      launch->kernel->info->name, refusal->what.data, fpgacc_error_name(error),
                      notes, help);
    fpgacc_text_free(&note);
}

static fpgacc_check *const checks[FPGACC_GUARD_KINDS] = {
#define CHECK(kind, name) fpgacc_guard_##name,
    FPGACC_GUARDS(CHECK)};

cl_int fpgacc_check_guards(const struct fpgacc_launch *launch, const struct fpgacc_site *site)
{
    struct fpgacc_refusal refusal = {0};
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < launch->info->guard_count && error == CL_SUCCESS; i++) {
        const struct fpgacc_guard *guard = &launch->info->guards[i];
        error = checks[guard->kind](launch, guard, site ? &refusal : NULL);
    }
    if (refusal.what.data)
        report(launch, site, error, &refusal);
    fpgacc_text_free(&refusal.what);
    fpgacc_text_free(&refusal.help);
    return error;
}
