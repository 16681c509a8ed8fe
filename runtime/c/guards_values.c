/* Guards of what arguments are by value: scalars, and the sizes of local memory. */
#include "runtime.h"

#include <string.h>

/* A scalar's value as text. */
static void add_value(struct fpgacc_text *text, const struct fpgacc_guard *guard, uint64_t bits)
{
    enum fpgacc_scalar_kind kind = guard->of.scalar.kind;
    uint32_t size = guard->of.scalar.size;
    unsigned unused = 64 - 8 * size;
    if (kind == FPGACC_FLOAT && size == sizeof(float)) {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        fpgacc_text_add(text, "%.9g", (double)value);
    } else if (kind == FPGACC_FLOAT) {
        double value;
        memcpy(&value, &bits, sizeof value);
        fpgacc_text_add(text, "%.17g", value);
    } else if (kind == FPGACC_SIGNED && (bits << unused) >> 63) {
        fpgacc_text_add(text, "-%llu", (unsigned long long)((0 - (bits << unused)) >> unused));
    } else {
        fpgacc_text_add(text, "%llu", (unsigned long long)bits);
    }
}

cl_int fpgacc_guard_scalar(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                           struct fpgacc_refusal *refusal)
{
    uint32_t param = guard->of.scalar.param;
    const struct fpgacc_argument *argument = &launch->kernel->arguments[param];
    int fits = argument->size == guard->of.scalar.size;
    if (argument->kind == FPGACC_OTHER && fits && argument->bits == guard->of.scalar.bits)
        return CL_SUCCESS;
    if (!refusal)
        return CL_INVALID_KERNEL_ARGS;
    struct fpgacc_text *what = &refusal->what;
    fpgacc_text_add(what, "with the value ");
    add_value(what, guard, guard->of.scalar.bits);
    fpgacc_text_add(what, " for argument %u (`%s`), in this launch it ", param,
                    launch->info->params[param].name);
    if (argument->kind == FPGACC_UNSET)
        fpgacc_text_add(what, "is not set with clSetKernelArg");
    else if (!fits)
        fpgacc_text_add(what, "has %zu bytes", argument->size);
    else {
        fpgacc_text_add(what, "is ");
        add_value(what, guard, argument->bits);
    }
    fpgacc_text_add(&refusal->help, "a launch facts file (.yaml) that has this launch, with "
                                    "--keep-general, or with -fno-specialise");
    return CL_INVALID_KERNEL_ARGS;
}

cl_int fpgacc_guard_local_bytes(const struct fpgacc_launch *launch,
                                const struct fpgacc_guard *guard, struct fpgacc_refusal *refusal)
{
    uint32_t param = guard->of.memory.param;
    uint64_t bytes = guard->of.memory.bytes;
    const struct fpgacc_argument *argument = &launch->kernel->arguments[param];
    if (argument->kind == FPGACC_UNSET || argument->size <= bytes)
        return CL_SUCCESS;
    if (refusal) {
        fpgacc_text_add(&refusal->what,
                        "for at most %llu bytes of local memory in argument %u (`%s`), this launch "
                        "has %zu",
                        (unsigned long long)bytes, param, launch->info->params[param].name,
                        argument->size);
        fpgacc_text_add(&refusal->help, "a launch facts file (.yaml) that has this size, or with "
                                        "--keep-general");
    }
    return CL_OUT_OF_RESOURCES;
}
