//! What the runtime library must know of the compiled kernels of one executable.

use serde::{Deserialize, Serialize};

use crate::contract::LaunchContract;
pub use crate::contract::{Coarsened, Form, Hidden, Level, NullLocal, Task};

/// The OpenCL implementation that the kernels were compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The Intel FPGA Emulation Platform: its library's path, which the runtime names to the ICD
    /// loader before the host's first OpenCL call, unless the user's environment already chooses.
    IntelEmulator {
        /// Path of `libintelocl_emu.so`; `None` leaves the choice to the ICD loader's own setup.
        library: Option<String>,
    },
    /// PoCL, found through the ICD loader's own setup.
    Pocl,
    /// A GPU of NVIDIA's, found through the ICD loader's own setup.
    Nvidia,
    /// A board or the simulator, through the SDK's runtime.
    Sdk,
}

/// All of an executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Where the kernels run.
    pub target: Target,
    /// Every program variant: one source text with one set of options.
    pub programs: Vec<Program>,
    /// What fpgacc read and left to the device's own compiler.
    #[serde(default)]
    pub left_to_device: Vec<LeftToDevice>,
    /// Where hosts launch kernels, for messages about launches that come without a line.
    #[serde(default)]
    pub launched_at: Vec<LaunchedAt>,
}

/// Where a kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchedAt {
    /// Its name in the host.
    pub kernel: String,
    /// `host.cpp:12:5`; of several places `host.cpp:12:5 or host.cpp:14:5`.
    pub at: String,
}

/// A text that has no .aocx: something of it is only known when the host runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftToDevice {
    /// As [`Program::source_hash`].
    pub source_hash: u64,
    /// For messages: names the program and what was not known of it.
    pub why: String,
    /// For messages: the way out.
    pub remedy: String,
}

/// One program variant and its .aocx.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// For messages: the kernel file's name as the user gave it, or `host.c:12` for a string.
    pub name: String,
    /// [`text_hash`] of the whole text that the host passes to clCreateProgramWithSource.
    pub source_hash: u64,
    /// Base name of the .aocx, searched in `$FPGACC_AOCX_PATH` (folders or files, separated by
    /// `:`), then beside the executable.
    pub aocx: String,
    /// Which build this is: a digest of the compiled text and of all that the runtime knows of it.
    /// The same number stands in the .aocx's [seal](crate::seal), and only that file is taken.
    /// `None`: the .aocx is made by other tools, and has no seal.
    #[serde(default)]
    pub build: Option<u64>,
    /// Macros (`NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`, as clBuildProgram's `-D` spells
    /// them) that the kernels were compiled with, in order of name. Only those that matter: whose
    /// name is one of [`Self::macro_names`].
    pub defines: Vec<String>,
    /// Every name in the text and its headers that a `-D` could change. A build whose `-D` options,
    /// cut down to these names, are not [`Self::defines`] is of another variant.
    pub macro_names: Vec<String>,
    /// The text forms names by pasting (`##`), so that a `-D` of any name may matter.
    #[serde(default)]
    pub any_macro: bool,
    /// The options that it was compiled with, without `-D`, `-U` and `-I`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The folders of its `-I` options, as the host spells them.
    #[serde(default)]
    pub folders: Vec<String>,
    /// What the text includes.
    #[serde(default)]
    pub headers: Vec<Header>,
    /// Its kernels, in order of source; `None` if the text stays as it is: the .aocx's own kernels are
    /// all that there is, and are launched as the host says.
    pub kernels: Option<Vec<Kernel>>,
}

impl Program {
    /// Whether any host may launch its kernels, without this runtime: nothing is hidden in them, and
    /// they rely on nothing.
    pub fn is_for_anyone(&self) -> bool {
        let is_plain = |kernel: &Kernel| {
            !kernel.contract.is_task() && !kernel.contract.locked && kernel.others.is_empty()
        };
        self.kernels.iter().flatten().all(is_plain)
    }
}

/// A file that a program's text includes, itself or through another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Header {
    /// Its path, from the folder in which it was found.
    pub name: String,
    /// It is looked for beside the text too (`#include "name"`).
    pub quoted: bool,
    /// [`text_hash`] of its contents. `None`: there is none of this name (`__has_include`).
    pub hash: Option<u64>,
}

/// One kernel of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Parameters as the host knows them, without hidden ones.
    pub params: Vec<Param>,
    /// `reqd_work_group_size` of the original source.
    pub reqd_work_group_size: Option<[u64; 3]>,
    /// How it is launched, and what it relies on.
    pub contract: LaunchContract,
    /// Other versions of it in the same .aocx, under names of their own, with the same parameters.
    /// The first whose guards hold is launched: this one, then these in order.
    pub others: Vec<Kernel>,
    /// A version for launches that the analysis of the host did not find, though it found all: on emulators
    /// it takes them, with a warning.
    #[serde(default)]
    pub spare: bool,
}

/// A kernel parameter as the host knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type as clGetKernelArgInfo spells it (`float*`).
    pub type_name: String,
    /// What the host passes.
    pub kind: ParamKind,
    /// Size of the argument in bytes as clSetKernelArg takes it; 0 for `__local`.
    pub size: u32,
    /// Pointed-to type is `const` / `volatile`, pointer is `restrict`, in the original source.
    pub is_const: bool,
    /// See [`Self::is_const`].
    pub is_volatile: bool,
    /// See [`Self::is_const`].
    pub is_restrict: bool,
}

/// Kinds of kernel parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    /// `__global T *`.
    Global,
    /// `__constant T *`.
    Constant,
    /// `__local T *`.
    Local,
    /// By value.
    Value,
    /// An image.
    Image,
    /// A sampler.
    Sampler,
    /// A pipe.
    Pipe,
}

/// The hash by which the runtime recognises a program's text: 64-bit FNV-1a over the bytes up to
/// the first NUL, without trailing white space and without `\r`. Of a text in several strings the
/// runtime takes each up to its first NUL. Comments at the beginning do not count, which loaders of
/// files put there; their lines do where the text could tell how many there are.
pub fn text_hash(text: &[u8]) -> u64 {
    let text = text.split(|&b| b == 0).next().unwrap_or_default();
    let rest = without_preamble(text);
    let end = rest
        .iter()
        .rposition(|b| !b.is_ascii_whitespace())
        .map_or(0, |last| last + 1);
    let preamble = match tells_lines(text) {
        true => &text[..text.len() - rest.len()],
        false => &[],
    };
    let lines = preamble.iter().filter(|&&b| b == b'\n');
    let kept = rest[..end].iter().filter(|&&b| b != b'\r');
    lines.chain(kept).fold(0xcbf2_9ce4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Whether a text may tell how many lines stand before another: itself, or by a macro of a header.
fn tells_lines(text: &[u8]) -> bool {
    let says = |word: &[u8]| find(text, word).is_some();
    says(b"__LINE__") || says(b"include")
}

fn without_preamble(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        let is_space = |b: &&u8| matches!(b, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r');
        rest = &rest[rest.iter().take_while(is_space).count()..];
        match after_comment(rest) {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

/// What follows a comment; nothing if there is none here, or it does not end.
fn after_comment(text: &[u8]) -> Option<&[u8]> {
    if let Some(inside) = text.strip_prefix(b"/*") {
        return find(inside, b"*/").map(|end| &inside[end + 2..]);
    }
    if !text.starts_with(b"//") {
        return None;
    }
    let mut last = 0;
    let end = text.iter().position(|&b| {
        let ends = b == b'\n' && last != b'\\';
        if b != b'\r' {
            last = b;
        }
        ends
    });
    Some(&text[end.unwrap_or(text.len())..])
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::text_hash;

    #[test]
    fn comments_at_the_beginning_do_not_count() {
        let plain = text_hash(b"kernel void f() {}");
        for same in [
            "// a\nkernel void f() {}\n",
            " /* a\n * // b */\n\n// c \\\r\n d\nkernel void f() {}",
        ] {
            assert_eq!(text_hash(same.as_bytes()), plain, "{same}");
        }
        for other in [
            "/ / a\nkernel void f() {}",
            "/* kernel void f() {}",
            "// a \\\nkernel void f() {}",
        ] {
            assert_ne!(text_hash(other.as_bytes()), plain, "{other}");
        }
    }

    #[test]
    fn lines_that_can_be_told_count() {
        for text in ["int f() { return __LINE__; }", "#include \"lines.h\"\n"] {
            let later = format!("// a\n{text}");
            assert_ne!(text_hash(later.as_bytes()), text_hash(text.as_bytes()));
            let other = format!("// b /* c\n{text}");
            assert_eq!(text_hash(later.as_bytes()), text_hash(other.as_bytes()));
        }
    }
}
