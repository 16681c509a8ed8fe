//! The words of a command line, on their way to clap and back.
//!
//! fpgacc keeps cc's habits, among them long options with one dash (`-std=c99`, `-MMD`). clap knows
//! long options with two: [`normalise`] gives the user's words their second dash before clap sees
//! them, and [`with_single_dashes`] takes it away from what clap says.

use super::flag::Flag;
use super::table::flags;

/// All long options with one dash.
pub fn single_dash() -> impl Iterator<Item = &'static str> {
    flags()
        .filter(|flag| flag.has_one_dash())
        .map(|flag| flag.id)
}

/// Whether a word is one of the long options with one dash.
pub fn is_known(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    single_dash().any(|one| one == name.trim_start_matches('-'))
}

/// Gives cc's one-dash long options their second dash. Everything after `--` and the values of
/// options stay as they are.
pub fn normalise(args: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            out.push(arg);
            out.extend(rest);
            break;
        }
        let takes_next = takes_next(&arg);
        out.push(second_dash(arg));
        if takes_next {
            out.extend(rest.next());
        }
    }
    out
}

fn second_dash(arg: String) -> String {
    let Some(body) = arg.strip_prefix('-').filter(|body| !body.starts_with('-')) else {
        return arg;
    };
    // In cc, these levels may be missing; clap would take the next word for one.
    match body {
        "O" => return "-O1".to_string(),
        "g" => return "-g2".to_string(),
        _ => {}
    }
    let name = body.split('=').next().unwrap_or(body);
    if single_dash().any(|one| one == name) {
        return format!("-{arg}");
    }
    if let Some((name, value)) = joined(body) {
        return format!("--{name}={value}");
    }
    // cc does not join flags of one letter: `-shared` is not `-s` and others.
    let first = body.chars().next();
    if body.len() > 1 && first.is_some_and(is_letter_alone) {
        return format!("-{arg}");
    }
    arg
}

/// The longest name that a word begins with, and its value: `-isystem/usr/include`, `-MFfile`.
fn joined(word: &str) -> Option<(&'static str, &str)> {
    let found = flags().filter_map(|flag| Some((flag.id, flag.joined_value(word)?)));
    found.max_by_key(|(name, _)| name.len())
}

/// `-h` is clap's own.
fn is_letter_alone(letter: char) -> bool {
    letter == 'h' || flags().any(|flag| flag.is_letter_alone(letter))
}

/// Whether the word after this one is its value, whatever it looks like.
fn takes_next(arg: &str) -> bool {
    let name = arg.trim_start_matches('-');
    let is_it = |flag: &Flag| flag.is_called(name) && flag.takes_next();
    arg.starts_with('-') && flags().any(is_it)
}

/// The words before the first `--` and those after it.
pub fn split_at_dashes(mut args: Vec<String>) -> (Vec<String>, Option<Vec<String>>) {
    let Some(at) = args.iter().position(|arg| arg == "--") else {
        return (args, None);
    };
    let after = args.split_off(at + 1);
    args.pop();
    (args, Some(after))
}

/// Shows one-dash options as the user writes them.
pub fn with_single_dashes(text: &str) -> String {
    with_dashes(text, single_dash())
}

/// The same of a table of options, whose columns stay where they are.
pub fn in_columns(text: &str) -> String {
    const START: &str = "      --";
    let line = |line: &str| {
        let shorter = with_single_dashes(line);
        let gap = shorter.get(START.len()..).and_then(|rest| rest.find("  "));
        match gap.filter(|_| line.starts_with(START) && !shorter.starts_with(START)) {
            Some(gap) => {
                let (option, what) = shorter.split_at(START.len() + gap);
                format!("{option} {what}")
            }
            None => shorter,
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Shows the options of these names with one dash.
pub fn with_dashes<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut out = text.to_string();
    for name in names {
        for (before, after) in [
            (" --", " -"),
            ("'--", "'-"),
            ("*--", "*-"),
            ("\\-\\-", "\\-"),
        ] {
            let escaped = if before.starts_with('\\') {
                name.replace('-', "\\-")
            } else {
                name.to_string()
            };
            out = out.replace(&format!("{before}{escaped}"), &format!("{after}{escaped}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cc_spellings_get_their_second_dash() {
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        let out = normalise(words(
            "-std=c99 -MMD -MFx.d -o -MD -Wall -fno-restrict --stop-after -MD -iwithprefixbeforex -- -MD",
        ));
        assert_eq!(
            out,
            words(
                "--std=c99 --MMD --MF=x.d -o -MD -Wall -fno-restrict --stop-after -MD \
                 --iwithprefixbefore=x -- -MD"
            )
        );
    }
}
