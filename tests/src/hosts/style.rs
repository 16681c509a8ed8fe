//! Habits of a whole program.

use crate::random::Random;

/// How error codes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// `CHECK(call);`, a macro in `do { } while (0)`.
    Macro,
    /// A macro that is an `if` with its own semicolon.
    Bare,
    /// A function that gets the code.
    Function,
    /// `err |= call;`
    Or,
    /// `err = call; if (err ..`
    If,
}

/// What a program does in the same way everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Its language.
    pub cpp: bool,
    /// How error codes are looked at.
    pub check: Check,
}

impl Style {
    /// A random style.
    pub fn new(r: &mut Random) -> Self {
        Style {
            cpp: r.chance(25),
            check: r.copy(&[
                Check::Macro,
                Check::Bare,
                Check::Function,
                Check::Or,
                Check::If,
            ]),
        }
    }

    /// The definition of `CHECK`.
    pub fn definition(self) -> &'static str {
        match self.check {
            Check::Macro => {
                "#define CHECK(x) do { cl_int e_ = (x); if (e_ != CL_SUCCESS) { \\\n    \
                 printf(\"error %d\\n\", (int)e_); exit(1); } } while (0)\n"
            }
            Check::Bare => "#define CHECK(s) if (s) exit(1);\n",
            Check::Function => {
                "static void CHECK(cl_int e) {\n    if (e != CL_SUCCESS) { \
                 printf(\"error %d\\n\", (int)e); exit(1); }\n}\n"
            }
            Check::Or | Check::If => "",
        }
    }
}
