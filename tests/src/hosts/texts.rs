//! Kernel files of random hosts. Most come from a pool, which stories share.

use std::fmt::Write as _;

use crate::random::Random;

use super::kernels::{self, Kernel};

/// Texts that stories share.
const POOL: usize = 120;

/// Where the constants of a text come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// It has none.
    None,
    /// `-D` options, or else the text itself.
    Defaulted,
    /// `-D` options: without them it does not build.
    Required,
    /// The header `conf.h` of a folder that `-I` names.
    Header,
}

/// A kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its name, without `.cl`.
    pub stem: String,
    /// Where its constants come from.
    pub constants: Constants,
    /// What it holds.
    pub kernels: Vec<Kernel>,
    /// All of it.
    pub body: String,
}

/// The macros that texts are parametrised by.
pub const MACROS: [&str; 2] = ["KA", "KB"];

/// A random text.
pub fn text(r: &mut Random) -> Text {
    let number = match r.chance(85) {
        true => r.below(POOL),
        false => POOL + r.below(100_000),
    };
    numbered(number)
}

/// The text of a number: always the same.
fn numbered(number: usize) -> Text {
    let mut r = Random::new(0x7e87 + number as u64);
    // PoCL compiles programs with headers anew each time.
    let constants = r.copy(&[
        Constants::None,
        Constants::None,
        Constants::Defaulted,
        Constants::Defaulted,
        Constants::Defaulted,
        Constants::Required,
        Constants::Required,
        Constants::Header,
    ]);
    let macros: Vec<String> = match constants {
        Constants::None => Vec::new(),
        _ => MACROS.iter().map(ToString::to_string).collect(),
    };
    let mut body = format!("// text {number}\n");
    match constants {
        Constants::None | Constants::Required => {}
        Constants::Header => body.push_str("#include \"conf.h\"\n"),
        Constants::Defaulted => {
            for (name, value) in macros.iter().zip([5, 11]) {
                let _ = write!(body, "#ifndef {name}\n#define {name} {value}\n#endif\n");
            }
        }
    }
    body.push_str(kernels::PRELUDE);
    let count = 1 + r.below(3);
    // Kernels of different texts have the same names, now and then.
    let kernels: Vec<Kernel> = (0..count)
        .map(|at| kernels::kernel(&mut r, &format!("k{at}"), &macros))
        .collect();
    for kernel in &kernels {
        body.push('\n');
        body.push_str(&kernel.text);
    }
    Text {
        stem: format!("t{number}"),
        constants,
        kernels,
        body,
    }
}
