//! The end of an .aocx, which says which build it belongs to.
//!
//! An executable is compiled with the contract of its kernels: which of them are single work-items,
//! what their hidden arguments mean, what they rely on. Kernels of another build, with the same
//! names and parameters, would compute something else without a word. So the driver seals each
//! .aocx: after the program's bytes stand a label for messages and [`LENGTH`] bytes with the number
//! of the build and a digest of all that precedes them. The runtime (`c/seal.c`) compares both
//! with what the executable was linked with before it hands the bytes to OpenCL.
//!
//! OpenCL gets the bytes without their seal: Intel's emulator does not take a program that more
//! follows.

use twox_hash::XxHash64;

/// Ends every sealed file; the last letter is the version of the format.
const MAGIC: [u8; 8] = *b"FPGACC\x001";

/// Bytes of a seal without its label: the sizes of program and label, the build, the digest and the
/// magic number, 8 bytes each, the least significant first.
pub const LENGTH: usize = 40;

/// A program's bytes with their seal. `build` is [`crate::manifest::Program::build`], `label` what
/// messages call the build.
pub fn seal(mut bytes: Vec<u8>, build: u64, label: &str) -> Vec<u8> {
    let size = bytes.len() as u64;
    bytes.extend(label.as_bytes());
    for number in [size, label.len() as u64, build] {
        bytes.extend(number.to_le_bytes());
    }
    let digest = XxHash64::oneshot(0, &bytes);
    bytes.extend(digest.to_le_bytes());
    bytes.extend(MAGIC);
    bytes
}

/// The build that a sealed file belongs to; `None` if it has no seal.
pub fn build_of(bytes: &[u8]) -> Option<u64> {
    let seal = bytes.last_chunk::<LENGTH>()?;
    let number = seal[16..24].try_into().expect("eight bytes");
    seal.ends_with(&MAGIC).then(|| u64::from_le_bytes(number))
}

/// The program in a sealed file; `None` if it has no seal.
pub fn program_of(bytes: &[u8]) -> Option<&[u8]> {
    let seal = bytes.last_chunk::<LENGTH>()?;
    let size = u64::from_le_bytes(*seal.first_chunk()?);
    build_of(bytes)?;
    bytes.get(..usize::try_from(size).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_names_its_build_and_covers_every_byte() {
        let sealed = seal(b"program".to_vec(), 0x1122_3344_5566_7788, "k.cl");
        assert_eq!(sealed.len(), 7 + 4 + LENGTH);
        assert!(sealed.starts_with(b"programk.cl"));
        assert_eq!(build_of(&sealed), Some(0x1122_3344_5566_7788));
        assert_eq!(program_of(&sealed), Some(&b"program"[..]));
        assert_eq!((build_of(b"program"), program_of(b"program")), (None, None));
        let digest = |bytes: &[u8]| bytes[bytes.len() - 16..bytes.len() - 8].to_vec();
        let other = seal(b"progrbm".to_vec(), 0x1122_3344_5566_7788, "k.cl");
        assert_ne!(digest(&sealed), digest(&other));
    }
}
