//! Elements of vectors.

/// Whether users may ask for so many.
///
/// # Errors
/// OpenCL has no such vectors.
pub(super) fn check(lanes: &str) -> Result<(), String> {
    match lanes.parse() {
        Ok(2 | 4 | 8 | 16) => Ok(()),
        _ => Err("vectors have 2, 4, 8 or 16 elements".to_string()),
    }
}
