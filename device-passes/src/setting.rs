//! Options of passes as text: in golden texts, and on command lines.

use crate::options::PassOptions;

/// An option of a pass. Its file declares it; flags, their help and golden texts follow.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Reads it.
    pub read: fn(&mut PassOptions, &str) -> Result<(), String>,
    /// How users give it.
    pub flag: PassFlag,
    /// What the help says of the flag.
    pub help: &'static str,
    /// What the short help says of it; empty: it is in the long help only.
    pub brief: &'static str,
    /// Whether the flag turns the pass on.
    pub turns_on: bool,
    /// What of its values is no use to anybody, as the message to users says.
    check: fn(&str) -> Result<(), String>,
}

/// How users give an option of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassFlag {
    /// Not at all: the decision does, and variants that were measured.
    None,
    /// `-f<pass>` means this value.
    Pass(&'static str),
    /// `--name` means this value.
    Switch(&'static str),
    /// `--name VALUE`; this is what the value is called.
    Value(&'static str),
    /// `-name=VALUE`; the name, which begins with an `f`, and what the value is called.
    OneDash(&'static str, &'static str),
}

impl Setting {
    /// An option that users do not give.
    pub const fn new(
        name: &'static str,
        read: fn(&mut PassOptions, &str) -> Result<(), String>,
    ) -> Self {
        Setting {
            name,
            read,
            flag: PassFlag::None,
            help: "",
            brief: "",
            turns_on: false,
            check: |_| Ok(()),
        }
    }

    /// Users give it.
    pub const fn flag(mut self, flag: PassFlag, help: &'static str) -> Self {
        self.flag = flag;
        self.help = help;
        self
    }

    /// The short help says this of it.
    pub const fn common(mut self, brief: &'static str) -> Self {
        self.brief = brief;
        self
    }

    /// Who gives it wants the pass.
    pub const fn turns_on(mut self) -> Self {
        self.turns_on = true;
        self
    }

    /// Users can give no other values.
    pub const fn checked(mut self, check: fn(&str) -> Result<(), String>) -> Self {
        self.check = check;
        self
    }

    /// Reads what a user gives.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn given(&self, options: &mut PassOptions, value: &str) -> Result<(), String> {
        (self.check)(value)?;
        (self.read)(options, value)
    }
}

/// A number.
///
/// # Errors
/// It is none.
pub fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}
