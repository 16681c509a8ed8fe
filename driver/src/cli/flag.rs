//! What is known of a flag: one row says how it is written, what the help says of it, and which
//! steps of the host compiler get it. All else is derived from that.

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use fpgacc_device_passes::options::PassOptions;
use fpgacc_device_passes::setting::Setting;

/// How a flag's name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// `-D`; the identifier is another.
    Letter(char),
    /// `-std`, as cc writes long names. clap knows them as `--std`.
    OneDash,
    /// `--sysroot`
    TwoDashes,
}

/// How a flag takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Not at all: `-shared`.
    Switch,
    /// `-std=c99`
    Equals,
    /// `-include file`
    Next,
    /// `-isystem folder` or `-isystemfolder`
    NextOrJoined,
    /// `--sysroot=folder` or `--sysroot folder`; of letters `-Dname` or `-D name`.
    Either,
    /// Of letters: `-Wall`.
    Joined,
    /// `--save-temps` or `--save-temps=folder`: what it means without a value.
    Optional(&'static str),
}

/// A step of the host compiler that flags are handed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Preprocessing and compiling.
    Compile,
    /// What `-E` shows.
    Show,
    /// Linking.
    Link,
    /// Linking, in order with the files.
    Input,
    /// It is a question about the compiler.
    Ask,
}

/// A flag.
#[derive(Clone, Copy)]
pub struct Flag {
    /// What clap's matches are asked for; the name itself where it is long.
    pub id: &'static str,
    name: Name,
    shape: Shape,
    /// What the value is, for the help.
    what: &'static str,
    help: &'static str,
    /// What the short help says of it; empty: it is in the long help only.
    brief: &'static str,
    steps: &'static [Step],
    /// What stands before the value where it is handed on, if not the flag.
    prefix: Option<&'static str>,
    /// Whether a value is handed to a step.
    is_handed: fn(&str, Step) -> bool,
    /// Whether the last one counts, and none before it.
    is_single: bool,
    /// Whether its value is a file that is read.
    reads_file: bool,
    /// Its only values.
    words: &'static [&'static str],
    hint: Option<ValueHint>,
    /// The option of a pass that its value is.
    setting: Option<&'static Setting>,
    /// What else clap must know.
    refine: fn(Arg) -> Arg,
}

impl Flag {
    const fn new(id: &'static str, name: Name, shape: Shape, help: &'static str) -> Self {
        Flag {
            id,
            name,
            shape,
            what: "",
            help,
            brief: "",
            steps: &[],
            prefix: None,
            is_handed: |_, _| true,
            is_single: false,
            reads_file: false,
            words: &[],
            hint: None,
            setting: None,
            refine: |arg| arg,
        }
    }

    /// `-c`, known by `id`.
    pub const fn letter(letter: char, id: &'static str, help: &'static str) -> Self {
        Self::new(id, Name::Letter(letter), Shape::Switch, help)
    }

    /// `-shared`
    pub const fn one_dash(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Name::OneDash, Shape::Switch, help)
    }

    /// `--verify`
    pub const fn two_dashes(name: &'static str, help: &'static str) -> Self {
        Self::new(name, Name::TwoDashes, Shape::Switch, help)
    }

    /// It takes a value.
    pub const fn value(mut self, shape: Shape, what: &'static str) -> Self {
        self.shape = shape;
        self.what = what;
        self
    }

    /// It is used often: the short help names it, with a few words.
    pub const fn common(mut self, brief: &'static str) -> Self {
        self.brief = brief;
        self
    }

    /// Of several, the last counts.
    pub const fn single(mut self) -> Self {
        self.is_single = true;
        self
    }

    /// It takes one of these values; of several flags, the last counts.
    pub const fn one_of(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self.single()
    }

    /// What shells complete its value with.
    pub const fn hint(mut self, hint: ValueHint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Its value is a file that is read: no output may replace it.
    pub const fn reads_file(mut self) -> Self {
        self.reads_file = true;
        self
    }

    /// These steps of the host compiler get it.
    pub const fn to(mut self, steps: &'static [Step]) -> Self {
        self.steps = steps;
        self
    }

    /// They get its value only, after this.
    pub const fn value_after(mut self, prefix: &'static str) -> Self {
        self.prefix = Some(prefix);
        self
    }

    /// They get it with these values only.
    pub const fn handed_if(mut self, is_handed: fn(&str, Step) -> bool) -> Self {
        self.is_handed = is_handed;
        self
    }

    /// Its value is an option of a pass.
    pub const fn read_by(mut self, setting: &'static Setting) -> Self {
        self.setting = Some(setting);
        self
    }

    /// What else clap must know.
    pub const fn refine(mut self, refine: fn(Arg) -> Arg) -> Self {
        self.refine = refine;
        self
    }

    /// Whether cc writes its long name with one dash.
    pub fn has_one_dash(&self) -> bool {
        self.name == Name::OneDash
    }

    /// Whether its value is a file that is read.
    pub fn names_read_file(&self) -> bool {
        self.reads_file
    }

    /// Whether it is a letter without a value.
    pub fn is_letter_alone(&self, letter: char) -> bool {
        self.shape == Shape::Switch && self.name == Name::Letter(letter)
    }

    /// Whether it has this name or letter, given without dashes.
    pub fn is_called(&self, name: &str) -> bool {
        match self.name {
            Name::Letter(letter) => name.chars().eq([letter]),
            Name::OneDash | Name::TwoDashes => self.id == name,
        }
    }

    /// Whether the word after it is its value.
    pub fn takes_next(&self) -> bool {
        matches!(
            self.shape,
            Shape::Next | Shape::NextOrJoined | Shape::Either
        )
    }

    /// The value in a word that begins with its name, given without dashes.
    pub fn joined_value<'a>(&self, word: &'a str) -> Option<&'a str> {
        let value = match self.shape {
            Shape::NextOrJoined => word.strip_prefix(self.id)?,
            _ => return None,
        };
        (!value.is_empty() && !value.starts_with('=')).then_some(value)
    }

    /// As clap wants it.
    pub fn arg(&self, heading: &'static str) -> Arg {
        let arg = Arg::new(self.id).help_heading(heading).help(self.help);
        let arg = match self.brief {
            "" => arg.long_help(self.help).hide_short_help(true),
            brief => arg.help(brief).long_help(self.help).hide_env(true),
        };
        let arg = match self.name {
            Name::Letter(letter) => arg.short(letter),
            Name::OneDash | Name::TwoDashes => arg.long(self.id),
        };
        if self.shape == Shape::Switch {
            return (self.refine)(arg.action(ArgAction::SetTrue));
        }
        let action = match self.is_single {
            true => ArgAction::Set,
            false => ArgAction::Append,
        };
        let mut arg = arg
            .action(action)
            .allow_hyphen_values(true)
            .value_name(self.what);
        match self.shape {
            Shape::Equals => arg = arg.require_equals(true),
            Shape::Optional(default) => {
                arg = arg.num_args(0..=1).require_equals(true);
                arg = arg.default_missing_value(default);
            }
            _ => {}
        }
        if !self.words.is_empty() {
            arg = arg.value_parser(PossibleValuesParser::new(self.words));
            // The brief text names them.
            arg = arg.hide_possible_values(!self.brief.is_empty());
        }
        if let Some(setting) = self.setting {
            let read = |text: &str| setting.given(&mut PassOptions::default(), text);
            arg = arg.value_parser(move |text: &str| read(text).map(|()| text.to_string()));
        }
        if let Some(hint) = self.hint {
            arg = arg.value_hint(hint);
        }
        (self.refine)(arg)
    }

    /// The words that a step gets of it, each with its index on the command line.
    pub fn handed(&self, matches: &ArgMatches, step: Step) -> Vec<(usize, Vec<OsString>)> {
        if !self.steps.contains(&step) {
            return Vec::new();
        }
        if self.shape == Shape::Switch {
            let is_given = matches.value_source(self.id) == Some(ValueSource::CommandLine);
            let at = matches.index_of(self.id).unwrap_or_default();
            let words = || (at, vec![self.written().into()]);
            return is_given.then(words).into_iter().collect();
        }
        values(matches, self.id)
            .filter(|(_, value)| (self.is_handed)(value, step))
            .map(|(at, value)| (at, self.words_for(value)))
            .collect()
    }

    fn words_for(&self, value: &str) -> Vec<OsString> {
        if let Some(prefix) = self.prefix {
            return vec![format!("{prefix}{value}").into()];
        }
        let written = self.written();
        match (self.shape, self.name) {
            (Shape::Next | Shape::NextOrJoined, _) => vec![written.into(), value.into()],
            (_, Name::Letter(_)) => vec![format!("{written}{value}").into()],
            _ => vec![format!("{written}={value}").into()],
        }
    }

    fn written(&self) -> String {
        match self.name {
            Name::Letter(letter) => format!("-{letter}"),
            Name::OneDash => format!("-{}", self.id),
            Name::TwoDashes => format!("--{}", self.id),
        }
    }
}

/// The values of a flag, each with its index on the command line.
pub fn values<'a>(matches: &'a ArgMatches, id: &str) -> impl Iterator<Item = (usize, &'a String)> {
    let values = matches.get_many::<String>(id).into_iter().flatten();
    matches.indices_of(id).into_iter().flatten().zip(values)
}
