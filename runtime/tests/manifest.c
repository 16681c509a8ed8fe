/* Made by fpgacc: what the runtime must know of this executable's kernels. */
#include "manifest.h"

/* k.cl -> app.aocx */
static const char *const p0_defines[] = {
    "N=16",
};
static const char *const p0_macros[] = {
    "M",
    "N",
};
static const char *const p0_options[] = {
    "-cl-mad-enable",
};
static const char *const p0_folders[] = {
    "inc",
};
static const struct fpgacc_header p0_headers[] = {
    {"a.h", 1, 1, UINT64_C(0x0000000000000def)},
};
static const struct fpgacc_param p0_k0_params[] = {
    {"data", "float*", FPGACC_PARAM_GLOBAL, 8, 0, 0, 1},
    {"factor", "float*", FPGACC_PARAM_GLOBAL, 8, 0, 0, 1},
};
static const uint64_t p0_k0_reqd[] = {
    64,
    1,
    1,
};
static const struct fpgacc_guard p0_k0_guards[] = {
    {.kind = FPGACC_GUARD_GEOMETRY, .of.fact = {FPGACC_FACT_LOCAL, 0, UINT64_C(64)}},
    {.kind = FPGACC_GUARD_GEOMETRY, .of.fact = {FPGACC_FACT_ONE_GROUP, 1, UINT64_C(0)}},
    {.kind = FPGACC_GUARD_INT_LOOPS},
    {.kind = FPGACC_GUARD_GROUP_SIZE, .of.items = UINT64_C(64)},
    {.kind = FPGACC_GUARD_SCALAR, .of.scalar = {1, FPGACC_SIGNED, 4, UINT64_C(0xfffffffe)}},
    {.kind = FPGACC_GUARD_DISTINCT, .of.pair = {0, 1}},
    {.kind = FPGACC_GUARD_CONSTANT, .of.memory = {1, UINT64_C(4096)}},
    {.kind = FPGACC_GUARD_ALIGNED, .of.memory = {0, UINT64_C(64)}},
};
static const struct fpgacc_param p0_k0_o0_params[] = {
    {"data", "float*", FPGACC_PARAM_GLOBAL, 8, 0, 0, 1},
    {"factor", "float*", FPGACC_PARAM_GLOBAL, 8, 0, 0, 1},
};
static const uint64_t p0_k0_o0_reqd[] = {
    64,
    1,
    1,
};
static const struct fpgacc_kernel p0_k0_others[] = {
    {
        .name = "fpgacc_general_scale",
        .form = FPGACC_NDRANGE,
        .params = p0_k0_o0_params,
        .param_count = 2,
        .reqd_work_group_size = p0_k0_o0_reqd,
        .is_spare = 1,
    },
};
static const struct fpgacc_hidden p0_k0_hidden[] = {
    {FPGACC_HIDDEN_GLOBAL, 0},
    {FPGACC_HIDDEN_WORK_DIM, 0},
};
static const struct fpgacc_param p0_k1_params[] = {
    {"tile", "float*", FPGACC_PARAM_LOCAL, 0, 0, 0, 1},
};
static const struct fpgacc_guard p0_k1_guards[] = {
    {.kind = FPGACC_GUARD_LOCAL_SIZE, .of.sizes = {16, 4, 1}},
    {.kind = FPGACC_GUARD_LOCAL_BYTES, .of.memory = {0, UINT64_C(256)}},
};
static const struct fpgacc_chosen p0_k1_chosen[] = {
    {{512, 96, 1}, {64, 4, 1}},
};
static const struct fpgacc_kernel p0_kernels[] = {
    {
        .name = "scale",
        .form = FPGACC_TASK,
        .params = p0_k0_params,
        .param_count = 2,
        .reqd_work_group_size = p0_k0_reqd,
        .guards = p0_k0_guards,
        .guard_count = 8,
        .others = p0_k0_others,
        .other_count = 1,
        .hidden = p0_k0_hidden,
        .hidden_count = 2,
        .max_group_size = UINT64_C(64),
        .null_local = FPGACC_DIVISOR,
    },
    {
        .name = "plain",
        .form = FPGACC_NDRANGE,
        .params = p0_k1_params,
        .param_count = 1,
        .is_locked = 1,
        .guards = p0_k1_guards,
        .guard_count = 2,
        .chosen = p0_k1_chosen,
        .chosen_count = 1,
    },
};
static const struct fpgacc_program programs[] = {
    {
        .name = "k.cl",
        .source_hash = UINT64_C(0x0000000000000abc),
        .aocx = "app.aocx",
        .is_sealed = 1,
        .build = UINT64_C(0x0000000000001234),
        .any_macro = 0,
        .defines = p0_defines,
        .define_count = 1,
        .macro_names = p0_macros,
        .macro_name_count = 2,
        .options = p0_options,
        .option_count = 1,
        .folders = p0_folders,
        .folder_count = 1,
        .headers = p0_headers,
        .header_count = 1,
        .kernels = p0_kernels,
        .kernel_count = 2,
    },
};
static const struct fpgacc_left_to_device left_to_device[] = {
    {UINT64_C(0x0000000000000123), "'m.cl' needs N", "give it: -DN"},
};
static const struct fpgacc_launched_at launched_at[] = {
    {"scale", "host.cpp:12:5"},
};

const struct fpgacc_manifest fpgacc_manifest = {
    .target = FPGACC_TARGET_POCL,
    .library = NULL,
    .programs = programs,
    .program_count = 1,
    .left_to_device = left_to_device,
    .left_count = 1,
    .launched_at = launched_at,
    .launched_count = 1,
};
