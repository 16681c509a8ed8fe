/* The table that the driver generates at link time: what the runtime must know of the compiled
 * kernels. It mirrors runtime/src/manifest.rs, where the meaning of each field is told. */
#ifndef FPGACC_MANIFEST_H
#define FPGACC_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

enum fpgacc_target { FPGACC_TARGET_INTEL_EMULATOR, FPGACC_TARGET_POCL, FPGACC_TARGET_SDK };

enum fpgacc_form { FPGACC_NDRANGE, FPGACC_TASK };

enum fpgacc_null_local { FPGACC_WHOLE, FPGACC_DIVISOR };

enum fpgacc_hidden_kind {
    FPGACC_HIDDEN_OFFSET,
    FPGACC_HIDDEN_GLOBAL,
    FPGACC_HIDDEN_LOCAL,
    FPGACC_HIDDEN_WORK_DIM
};

enum fpgacc_fact_kind {
    FPGACC_FACT_WORK_DIM,
    FPGACC_FACT_OFFSET,
    FPGACC_FACT_GLOBAL,
    FPGACC_FACT_LOCAL,
    FPGACC_FACT_ONE_GROUP
};

enum fpgacc_param_kind {
    FPGACC_PARAM_GLOBAL,
    FPGACC_PARAM_CONSTANT,
    FPGACC_PARAM_LOCAL,
    FPGACC_PARAM_VALUE,
    FPGACC_PARAM_IMAGE,
    FPGACC_PARAM_SAMPLER,
    FPGACC_PARAM_PIPE
};

struct fpgacc_param {
    const char *name;
    const char *type_name;
    enum fpgacc_param_kind kind;
    uint32_t size;
    unsigned is_const : 1;
    unsigned is_volatile : 1;
    unsigned is_restrict : 1;
};

struct fpgacc_hidden {
    enum fpgacc_hidden_kind kind;
    unsigned dim;
};

struct fpgacc_fact {
    enum fpgacc_fact_kind kind;
    unsigned dim;
    uint64_t value;
};

/* Two parameter indices. */
struct fpgacc_pair {
    uint32_t first;
    uint32_t second;
};

/* A parameter that became constant memory, and the most bytes of it. */
struct fpgacc_constant {
    uint32_t param;
    uint64_t bytes;
};

/* A pointer parameter and the bytes that it is aligned to, a power of two. */
struct fpgacc_alignment {
    uint32_t param;
    uint64_t bytes;
};

struct fpgacc_local_bytes {
    uint32_t param;
    uint64_t bytes;
};

enum fpgacc_scalar_kind { FPGACC_SIGNED, FPGACC_UNSIGNED, FPGACC_FLOAT };

struct fpgacc_scalar {
    uint32_t param;
    enum fpgacc_scalar_kind kind;
    uint32_t size;
    uint64_t bits;
};

/* Lengths stand beside the arrays; an empty array is NULL. */
struct fpgacc_kernel {
    const char *name;
    enum fpgacc_form form;
    const struct fpgacc_param *params;
    uint32_t param_count;
    const uint64_t *reqd_work_group_size; /* of three; NULL: none */
    int is_locked;                        /* has an argument behind all others, an int, that no host sets */
    const struct fpgacc_pair *distinct;
    uint32_t distinct_count;
    const struct fpgacc_constant *constants;
    uint32_t constant_count;
    const struct fpgacc_alignment *aligned;
    uint32_t aligned_count;
    const struct fpgacc_local_bytes *local_bytes;
    uint32_t local_bytes_count;
    const struct fpgacc_scalar *scalars;
    uint32_t scalar_count;
    const struct fpgacc_kernel *others; /* other versions, tried in this order */
    uint32_t other_count;
    const struct fpgacc_fact *relies_on; /* of NDRange kernels: FPGACC_FACT_LOCAL only */
    uint32_t relies_on_count;
    /* Of task kernels only: */
    const struct fpgacc_hidden *hidden;
    uint32_t hidden_count;
    uint64_t max_group_size; /* that is chosen and told; 0: any number */
    int holds_no_more;       /* larger groups are refused */
    enum fpgacc_null_local null_local;
};

struct fpgacc_header {
    const char *name;
    int quoted;
    int exists;
    uint64_t hash;
};

struct fpgacc_program {
    const char *name;
    uint64_t source_hash;
    const char *aocx;
    int is_sealed;
    uint64_t build;
    int any_macro;
    const char *const *defines;
    uint32_t define_count;
    const char *const *macro_names;
    uint32_t macro_name_count;
    const char *const *options;
    uint32_t option_count;
    const char *const *folders;
    uint32_t folder_count;
    const struct fpgacc_header *headers;
    uint32_t header_count;
    int as_is; /* the .aocx has the text's own kernels; nothing else is known of them */
    const struct fpgacc_kernel *kernels;
    uint32_t kernel_count;
};

struct fpgacc_manifest {
    enum fpgacc_target target;
    const char *library; /* the emulator's; NULL: the ICD loader's own setup */
    const struct fpgacc_program *programs;
    uint32_t program_count;
};

extern const struct fpgacc_manifest fpgacc_manifest;

#endif
