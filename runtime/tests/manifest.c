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
static const struct fpgacc_pair p0_k0_distinct[] = {
    {0, 1},
};
static const struct fpgacc_constant p0_k0_constants[] = {
    {1, UINT64_C(4096)},
};
static const struct fpgacc_alignment p0_k0_aligned[] = {
    {0, UINT64_C(64)},
};
static const struct fpgacc_scalar p0_k0_scalars[] = {
    {1, FPGACC_SIGNED, 4, UINT64_C(0xfffffffe)},
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
    },
};
static const struct fpgacc_fact p0_k0_facts[] = {
    {FPGACC_FACT_LOCAL, 0, UINT64_C(64)},
    {FPGACC_FACT_ONE_GROUP, 1, UINT64_C(0)},
};
static const struct fpgacc_hidden p0_k0_hidden[] = {
    {FPGACC_HIDDEN_GLOBAL, 0},
    {FPGACC_HIDDEN_WORK_DIM, 0},
};
static const struct fpgacc_param p0_k1_params[] = {
    {"tile", "float*", FPGACC_PARAM_LOCAL, 0, 0, 0, 1},
};
static const struct fpgacc_local_bytes p0_k1_local[] = {
    {0, UINT64_C(256)},
};
static const struct fpgacc_fact p0_k1_facts[] = {
    {FPGACC_FACT_LOCAL, 0, UINT64_C(16)},
    {FPGACC_FACT_LOCAL, 1, UINT64_C(4)},
    {FPGACC_FACT_LOCAL, 2, UINT64_C(1)},
};
static const struct fpgacc_kernel p0_kernels[] = {
    {
        .name = "scale",
        .form = FPGACC_TASK,
        .params = p0_k0_params,
        .param_count = 2,
        .reqd_work_group_size = p0_k0_reqd,
        .distinct = p0_k0_distinct,
        .distinct_count = 1,
        .constants = p0_k0_constants,
        .constant_count = 1,
        .aligned = p0_k0_aligned,
        .aligned_count = 1,
        .scalars = p0_k0_scalars,
        .scalar_count = 1,
        .others = p0_k0_others,
        .other_count = 1,
        .relies_on = p0_k0_facts,
        .relies_on_count = 2,
        .hidden = p0_k0_hidden,
        .hidden_count = 2,
        .max_group_size = UINT64_C(64),
        .holds_no_more = 1,
        .null_local = FPGACC_DIVISOR,
    },
    {
        .name = "plain",
        .form = FPGACC_NDRANGE,
        .params = p0_k1_params,
        .param_count = 1,
        .is_locked = 1,
        .local_bytes = p0_k1_local,
        .local_bytes_count = 1,
        .relies_on = p0_k1_facts,
        .relies_on_count = 3,
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

const struct fpgacc_manifest fpgacc_manifest = {
    .target = FPGACC_TARGET_POCL,
    .library = NULL,
    .programs = programs,
    .program_count = 1,
};
