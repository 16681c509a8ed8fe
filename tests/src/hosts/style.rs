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
    /// Much goes by way of OpenCL's C++ header.
    pub is_wrapped: bool,
    /// Some functions stand in a file of their own.
    pub is_in_two_files: bool,
}

impl Style {
    /// A random style.
    pub fn new(r: &mut Random) -> Self {
        let cpp = r.chance(25);
        Style {
            cpp,
            check: r.copy(&[
                Check::Macro,
                Check::Bare,
                Check::Function,
                Check::Or,
                Check::If,
            ]),
            // Its header takes a compiler a second.
            is_wrapped: cpp && r.chance(4),
            is_in_two_files: r.chance(12),
        }
    }

    /// Includes OpenCL.
    pub fn opencl(self, version: u32) -> String {
        let header = match self.is_wrapped {
            true => format!(
                "#define CL_HPP_TARGET_OPENCL_VERSION {version}\n#define CL_HPP_MINIMUM_OPENCL_VERSION {version}\n\
                 #include <CL/opencl.hpp>"
            ),
            false => "#include <CL/cl.h>".to_string(),
        };
        format!(
            "#define CL_TARGET_OPENCL_VERSION {version}\n#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n{header}"
        )
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
