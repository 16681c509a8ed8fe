/* The table that the driver generates at link time: what the runtime must know of the compiled
 * kernels. It mirrors runtime/src/manifest.rs and guard.rs, where the meaning of each field is documented. */
#ifndef FPGACC_MANIFEST_H
#define FPGACC_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

enum fpgacc_target {
    FPGACC_TARGET_INTEL_EMULATOR,
    FPGACC_TARGET_POCL,
    FPGACC_TARGET_NVIDIA,
    FPGACC_TARGET_SDK
};

enum fpgacc_form { FPGACC_NDRANGE, FPGACC_TASK, FPGACC_COARSENED };

enum fpgacc_null_local { FPGACC_WHOLE, FPGACC_DIVISOR };

enum fpgacc_hidden_kind {
    FPGACC_HIDDEN_OFFSET,
    FPGACC_HIDDEN_GLOBAL,
    FPGACC_HIDDEN_LOCAL,
    FPGACC_HIDDEN_WORK_DIM,
    FPGACC_HIDDEN_STEPS
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

enum fpgacc_scalar_kind { FPGACC_SIGNED, FPGACC_UNSIGNED, FPGACC_FLOAT };

/* The kinds of guards, and the function of guards_*.c that checks each: fpgacc_guard_ and this name. */
#define FPGACC_GUARDS(X)      \
    X(GEOMETRY, geometry)     \
    X(INT_LOOPS, int_loops)   \
    X(GROUP_SIZE, group_size) \
    X(LOCAL_SIZE, local_size) \
    X(MULTIPLE, multiple)     \
    X(SCALAR, scalar)         \
    X(DISTINCT, distinct)     \
    X(CONSTANT, constant)     \
    X(ALIGNED, aligned)       \
    X(LOCAL_BYTES, local_bytes)

enum fpgacc_guard_kind {
#define FPGACC_KIND(kind, check) FPGACC_GUARD_##kind,
    FPGACC_GUARDS(FPGACC_KIND)
#undef FPGACC_KIND
    FPGACC_GUARD_KINDS
};

/* What must hold of a launch. */
struct fpgacc_guard {
    enum fpgacc_guard_kind kind;
    union {
        struct {
            enum fpgacc_fact_kind kind;
            unsigned dim;
            uint64_t value;
        } fact;            /* GEOMETRY */
        uint64_t items;    /* GROUP_SIZE */
        uint64_t sizes[3]; /* LOCAL_SIZE */
        struct {
            unsigned dim;
            uint64_t of;
            unsigned of_groups;
            unsigned null_local;
        } multiple; /* MULTIPLE */
        struct {
            uint32_t param;
            enum fpgacc_scalar_kind kind;
            uint32_t size;
            uint64_t bits;
        } scalar; /* SCALAR */
        struct {
            uint32_t first;
            uint32_t second;
        } pair; /* DISTINCT */
        struct {
            uint32_t param;
            uint64_t bytes;
        } memory; /* CONSTANT, ALIGNED, LOCAL_BYTES */
    } of;
};

/* A local size that launches of a global size get in place of the host's. */
struct fpgacc_chosen {
    size_t global[3];
    size_t local[3];
};

/* Lengths stand beside the arrays; an empty array is NULL. */
struct fpgacc_kernel {
    const char *name;
    enum fpgacc_form form;
    const struct fpgacc_param *params;
    uint32_t param_count;
    const uint64_t *reqd_work_group_size; /* of three; NULL: none */
    int is_locked;                        /* has an argument after all others, an int, that no host sets */
    int is_spare; /* for launches that the analysis of the host did not find; taken with a warning */
    const struct fpgacc_guard *guards; /* in the order in which they are checked */
    uint32_t guard_count;
    const struct fpgacc_kernel *others; /* other versions, tried in this order */
    uint32_t other_count;
    const struct fpgacc_chosen *chosen; /* local sizes in place of the host's */
    uint32_t chosen_count;
    /* Of task kernels only: */
    const struct fpgacc_hidden *hidden;
    uint32_t hidden_count;
    uint64_t max_group_size; /* that is chosen and reported; 0: any number */
    enum fpgacc_null_local null_local;
    /* Up to so many launches that follow each other, with the buffers of two arguments exchanged, are one; 0: none.
     * The last of the hidden arguments that is FPGACC_HIDDEN_STEPS says how many. */
    struct {
        unsigned most;
        uint32_t from;
        uint32_t to;
        int writes_both; /* several at once leave both buffers as the last two would */
    } steps;
    /* Of coarsened kernels only: a factor-th of the global size is launched, and of the local size if
     * work-items are merged, not groups. Before that, a lanes-th of both in dimension 0. */
    struct {
        unsigned dim;
        size_t factor;
        int merges_items;
        size_t lanes;
    } coarsened;
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

struct fpgacc_left_to_device {
    uint64_t source_hash;
    const char *why;
    const char *remedy;
};

/* Where a kernel is launched, as far as the analysis of the host found it. */
struct fpgacc_launched_at {
    const char *kernel;
    const char *at;
};

struct fpgacc_manifest {
    enum fpgacc_target target;
    const char *library; /* the emulator's; NULL: the ICD loader's own setup */
    const struct fpgacc_program *programs;
    uint32_t program_count;
    const struct fpgacc_left_to_device *left_to_device;
    uint32_t left_count;
    const struct fpgacc_launched_at *launched_at;
    uint32_t launched_count;
};

extern const struct fpgacc_manifest fpgacc_manifest;

#endif
