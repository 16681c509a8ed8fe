//! `fpgacc facts`: explain launch facts, compare two accounts of a program, print the file's schema.

use std::path::Path;
use std::process::ExitCode;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::SourceMap;
use fpgacc_launch_facts::{Facts, Location};

use crate::messages::Messages;
use crate::options::Options;
use crate::session::Session;
use crate::{FAILED, MISUSED, agree, cli, explain, facts, facts_file, gather, recorded};

const USAGE: [&str; 3] = [
    "fpgacc facts explain HOST:LINE [FILES AND OPTIONS]  what is known of a call, and why",
    "fpgacc facts compare A.yaml B.yaml                  whether both can be true",
    "fpgacc facts schema                                 the JSON schema of facts.yaml",
];

/// Runs `fpgacc facts ..`; `words` starts with `facts`.
pub fn command(words: &[String], mut messages: Messages) -> ExitCode {
    let rest = words.get(2..).unwrap_or_default();
    let asks = |word: &String| word == "-h" || word == "--help";
    if words.iter().any(asks) {
        return match cli::facts_command().try_get_matches_from(words) {
            Err(error) => crate::command_usage(&error, words, &mut messages),
            Ok(_) => ExitCode::SUCCESS,
        };
    }
    match (words.get(1).map(String::as_str), rest) {
        (Some("schema"), []) => schema(),
        (Some("compare"), [first, second]) => match compare(first, second) {
            Ok(text) => {
                crate::print(text.as_bytes());
                ExitCode::from(if text.is_empty() { 0 } else { FAILED })
            }
            Err((error, sources)) => {
                messages.report(&error, &sources);
                ExitCode::from(FAILED)
            }
        },
        (Some("explain"), [site, inputs @ ..]) => match location(site) {
            Some(site) => explain_call(&site, inputs, messages),
            None => {
                let error = Diagnostic::error(format!("'{site}' is no place in a host"))
                    .help("a file and a line: fpgacc facts explain host.c:120");
                crate::fail(&mut messages, error, MISUSED)
            }
        },
        _ => {
            let error = Diagnostic::error("facts: what is to be done with them?");
            let error = USAGE.iter().fold(error, |error, line| error.help(*line));
            crate::fail(&mut messages, error, MISUSED)
        }
    }
}

fn schema() -> ExitCode {
    let text = serde_json::to_string_pretty(&fpgacc_launch_facts::schema());
    crate::print(format!("{}\n", text.unwrap_or_default()).as_bytes())
}

/// `host.c:120`, and `host.c:120:3`.
fn location(text: &str) -> Option<Location> {
    let mut parts = text.split(':');
    let file = parts.next().filter(|file| !file.is_empty())?;
    let line = parts.next()?.parse().ok().filter(|line| *line > 0)?;
    Some(Location {
        file: file.to_string(),
        line,
        column: 1,
    })
}

fn read(name: &str) -> Result<Facts, (Diagnostic, SourceMap)> {
    let mut sources = SourceMap::new();
    let bytes = match std::fs::read(name) {
        Ok(bytes) => bytes,
        Err(error) => {
            let error = Diagnostic::error(format!("{name} cannot be read: {error}"));
            return Err((error, sources));
        }
    };
    facts_file::parse(name, &bytes, &mut sources).map_err(|error| (error, sources))
}

/// Contradictions, a line each.
fn compare(first: &str, second: &str) -> Result<String, (Diagnostic, SourceMap)> {
    let (first_facts, mut second_facts) = (read(first)?, read(second)?);
    if recorded::is_recorded(&second_facts) && !recorded::is_recorded(&first_facts) {
        agree::align(&first_facts, &mut second_facts);
    }
    let mut text = String::new();
    for site in agree::not_found(&first_facts, &second_facts) {
        text.push_str(&format!(
            "{site}: the launch: {first} has none, {second} has\n"
        ));
    }
    for one in agree::contradictions(&first_facts, &second_facts) {
        text.push_str(&format!(
            "{}: {}: {first} says {}, {second} says {}\n",
            one.site, one.what, one.first, one.second
        ));
    }
    Ok(text)
}

/// Explains a call of the hosts that the rest of the command line names: at least of its own file.
fn explain_call(site: &Location, inputs: &[String], mut messages: Messages) -> ExitCode {
    let mut words = vec!["fpgacc".to_string(), "--emit=facts".to_string()];
    words.extend(inputs.iter().cloned());
    let own = Path::new(&site.file);
    let same = |word: &String| Path::new(word).file_name() == own.file_name();
    if !inputs.iter().any(same) {
        words.push(site.file.clone());
    }
    let words = cli::normalise(words);
    let matches = match cli::command().try_get_matches_from(words.clone()) {
        Ok(matches) => matches,
        Err(error) => return crate::usage(&error, &words, &mut messages),
    };
    let options = match Options::from_matches(&matches, false) {
        Ok(options) => options,
        Err(error) => return crate::fail(&mut messages, error, MISUSED),
    };
    messages.configure(&options);
    let mut session = Session::new(options, messages);
    let done = session.check_inputs().and_then(|()| {
        let gathered = gather::read_sources(&mut session)?;
        let facts = facts::of(&mut session, &gathered)?.facts;
        let text = explain::explain(&facts, site);
        if !text.is_empty() {
            return session.print(&text);
        }
        let calls = explain::known_calls(&facts, site);
        let position = format!("{}:{}", site.file, site.line);
        let error = Diagnostic::error(format!(
            "no kernel is launched and no program or buffer is created at {position}"
        ));
        let lines: Vec<_> = calls.iter().map(|call| call.line.to_string()).collect();
        session.fail(match lines.is_empty() {
            true => error.help("give the files and options that fpgacc is called with, too"),
            false => error.help(format!("such calls are in lines {}", lines.join(", "))),
        })
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(FAILED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_file_and_a_line() {
        let line = |text| location(text).map(|site| (site.file, site.line));
        assert_eq!(line("a/h.c:12"), Some(("a/h.c".into(), 12)));
        assert_eq!(line("h.c:12:3"), Some(("h.c".into(), 12)));
        assert_eq!(line("h.c"), None);
        assert_eq!(line("h.c:x"), None);
        assert_eq!(line(":3"), None);
        assert_eq!(line("h.c:0"), None);
    }
}
