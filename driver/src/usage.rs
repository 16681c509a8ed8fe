//! What is wrong with a command line, in the words of all other messages.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use fpgacc_frontend::diag::Diagnostic;

use crate::nearly::did_you_mean;
use crate::{advice, cli};

/// An error for what clap did not take; `None` for help and version, which are none. `given` are the
/// user's own words.
pub fn explain(said: &clap::Error, given: &[String]) -> Option<Diagnostic> {
    let option = text(said, ContextKind::InvalidArg).map(|name| as_given(&name, given));
    let value = text(said, ContextKind::InvalidValue);
    let variable = option
        .as_deref()
        .and_then(|option| variable_of(option, value.as_deref()?, given));
    let option = variable.or(option).unwrap_or_default();
    let option = option.as_str();
    Some(match said.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return None,
        ErrorKind::UnknownArgument => unknown(said, option),
        ErrorKind::InvalidValue if value.as_deref().is_none_or(str::is_empty) => missing(option),
        ErrorKind::InvalidValue => {
            let value = value.unwrap_or_default();
            let error = Diagnostic::error(format!("{option}: '{value}' is none of its values"));
            let takes = valid(said);
            let error = did_you_mean(error, &value, takes.iter().map(String::as_str));
            error.help(format!("it takes {}", listed(&takes)))
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(said).map(ToString::to_string);
            let value = value.unwrap_or_default();
            let why = why.unwrap_or_else(|| "not a valid value".to_string());
            let (why, help) = why.split_once('\n').unwrap_or((&why, ""));
            let error = Diagnostic::error(format!("{option}: '{value}': {why}"));
            match help {
                "" => error,
                help => error.help(help),
            }
        }
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues | ErrorKind::NoEquals => {
            missing(option)
        }
        ErrorKind::TooManyValues => {
            let value = value.unwrap_or_default();
            Diagnostic::error(format!("{option} takes no value ('{value}')"))
        }
        _ => {
            let message = cli::with_single_dashes(&said.to_string());
            let message = message.lines().next().unwrap_or_default();
            Diagnostic::error(message.strip_prefix("error: ").unwrap_or(message))
        }
    })
}

/// The variable that a value is of which stands in place of an option that was not given.
fn variable_of(option: &str, value: &str, given: &[String]) -> Option<String> {
    let name = option.trim_start_matches('-');
    let is_given = given.iter().any(|word| word.starts_with(option));
    let variable = cli::variable(name).filter(|_| !is_given)?;
    let is_its = std::env::var(&variable).is_ok_and(|set| set == value);
    is_its.then(|| format!("${variable}"))
}

fn missing(option: &str) -> Diagnostic {
    Diagnostic::error(format!("{option} needs a value")).help("fpgacc --help describes all options")
}

fn unknown(error: &clap::Error, option: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("unknown option '{option}'"));
    if let Some(help) = advice::of_another_tool(option) {
        return diagnostic.help(help);
    }
    let first = |name: &str| name.trim_start_matches('-').chars().next();
    match text(error, ContextKind::SuggestedArg) {
        // Of long cc options, clap finds any other similar.
        Some(meant) if first(&meant) == first(option) => {
            let meant = cli::with_single_dashes(&format!("'{meant}'"));
            diagnostic.help(format!("did you mean {meant}?"))
        }
        _ => diagnostic
            .help(format!(
                "one for the host compiler goes after -Xcc, one for aoc after -Xaoc: -Xcc {option}"
            ))
            .help("fpgacc --help describes all options"),
    }
}

fn valid(error: &clap::Error) -> Vec<String> {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    }
}

fn listed(words: &[String]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.join(""),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

/// The user's spelling of an option that clap names: without the dash that was added, without the
/// name of its value.
fn as_given(name: &str, given: &[String]) -> String {
    let name = name.split([' ', '=']).next().unwrap_or(name);
    let name = name.split("[=").next().unwrap_or(name);
    let short = &name[usize::from(name.starts_with("--"))..];
    let starts = |start: &str| given.iter().any(|word| word.starts_with(start));
    // Of letters that clap takes one by one, the whole word says more.
    let whole = given
        .iter()
        .find(|word| !name.starts_with("--") && word.starts_with(name) && !cli::is_known(word));
    match whole {
        Some(word) if name.len() == 2 && cli::is_unknown_letter(name) => word.clone(),
        _ if !starts(name) && starts(short) => short.to_string(),
        _ => name.to_string(),
    }
}
