//! `cl_mem_flags`, as facts spell them.

/// `CL_MEM_USE_HOST_PTR`.
pub const USE_HOST_PTR: u64 = 1 << 3;

const NAMES: [(u64, &str); 9] = [
    (1 << 0, "READ_WRITE"),
    (1 << 1, "WRITE_ONLY"),
    (1 << 2, "READ_ONLY"),
    (USE_HOST_PTR, "USE_HOST_PTR"),
    (1 << 4, "ALLOC_HOST_PTR"),
    (1 << 5, "COPY_HOST_PTR"),
    (1 << 7, "HOST_WRITE_ONLY"),
    (1 << 8, "HOST_READ_ONLY"),
    (1 << 9, "HOST_NO_ACCESS"),
];

/// The names of flags without `CL_MEM_`, in order of value.
pub fn names(flags: u64) -> Vec<String> {
    let set = NAMES.iter().filter(|(bit, _)| flags & bit != 0);
    set.map(|(_, name)| name.to_string()).collect()
}
