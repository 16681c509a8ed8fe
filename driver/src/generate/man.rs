//! Manual pages, a page for each command.

use std::fmt::Write;

use clap::Command;
use clap_mangen::Man;

use crate::cli;
use crate::cli::environment::{Reader, VARIABLES};
use crate::cli::manual::{COMMANDS, FPGACC, Manual};

/// A page: the command's name with dashes, and its text.
pub struct Page {
    pub name: String,
    pub text: String,
}

/// The page of `fpgacc` itself.
pub fn main_page() -> String {
    page(&FPGACC).text
}

/// All pages.
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = std::iter::once(&FPGACC)
        .chain(&COMMANDS)
        .map(page)
        .collect();
    pages.push(Page {
        name: "fpgacc++".to_string(),
        text: ".so man1/fpgacc.1\n".to_string(),
    });
    pages.push(aoc());
    pages
}

fn page(manual: &Manual) -> Page {
    let command = (manual.command)();
    let full = command.get_bin_name().unwrap_or(command.get_name());
    let name = full.replace(' ', "-");
    let is_main = name == "fpgacc";
    let about = command.get_about().map(ToString::to_string);
    let mut out = head(&name, &about.unwrap_or_default());
    out += ".SH SYNOPSIS\n";
    out += &preformatted(manual.synopsis);
    out += ".SH DESCRIPTION\n";
    out += &paragraphs(manual.description);
    out += &options(command);
    if is_main {
        out += ".SH COMMANDS\n";
        for manual in &COMMANDS {
            let command = (manual.command)();
            let about = command.get_about().map(ToString::to_string);
            let name = command.get_bin_name().unwrap_or_default().replace(' ', "-");
            let _ = writeln!(
                out,
                ".TP\n\\fB{}\\fR(1)\n{}",
                text(&name),
                text(&about.unwrap_or_default())
            );
        }
        out += ".SH EXIT STATUS\n";
        out += &paragraphs(&cli::EXIT_CODES.split('\n').collect::<Vec<_>>());
    }
    out += &environment(manual.reader);
    out += ".SH EXAMPLES\n";
    for (what, lines) in manual.examples {
        let _ = writeln!(out, "{}", text(what));
        out += &preformatted(&lines.split('\n').collect::<Vec<_>>());
    }
    out += ".SH SEE ALSO\n";
    let others = std::iter::once(&FPGACC).chain(&COMMANDS).map(|manual| {
        let command = (manual.command)();
        let name = command.get_bin_name().unwrap_or(command.get_name());
        name.replace(' ', "-")
    });
    let others = others.chain(["fpgacc-aoc".to_string()]);
    let others: Vec<String> = others
        .filter(|other| *other != name)
        .map(|other| format!("\\fB{}\\fR(1)", text(&other)))
        .collect();
    let _ = writeln!(out, "{}", others.join(", "));
    Page { name, text: out }
}

/// The page of fpgacc-aoc, whose options are aoc's.
fn aoc() -> Page {
    let mut out = head(
        "fpgacc-aoc",
        "aoc's command line for emulators, without Intel's SDK",
    );
    let help = fpgacc_aoc_wrappers::compat::help();
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    out += ".SH SYNOPSIS\n";
    out += &preformatted(&[usage.unwrap_or_default()]);
    out += ".SH DESCRIPTION\n";
    let rest = help.lines().skip_while(|line| !line.is_empty()).skip(1);
    out += &preformatted(&rest.collect::<Vec<_>>());
    out += &environment(Reader::Build);
    out += ".SH EXAMPLES\nIn a makefile that compiles kernels with aoc:\n";
    out += &preformatted(&["make AOC=fpgacc-aoc"]);
    out += ".SH SEE ALSO\n\\fBfpgacc\\fR(1)\n";
    Page {
        name: "fpgacc-aoc".to_string(),
        text: out,
    }
}

fn head(name: &str, about: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = text(name);
    let title = name.to_uppercase();
    let about = text(about);
    format!(".TH \"{title}\" 1 \"\" \"fpgacc {version}\"\n.SH NAME\n{name} \\- {about}\n")
}

/// Options as clap_mangen writes them.
fn options(command: Command) -> String {
    let mut out = Vec::new();
    let command = match command.has_subcommands() {
        true => return String::new(),
        false => command,
    };
    let written = Man::new(command).render_options_section(&mut out);
    written.expect("writing to memory does not fail");
    cli::with_single_dashes(&String::from_utf8_lossy(&out))
}

fn environment(reader: Reader) -> String {
    let mut out = String::from(".SH ENVIRONMENT\n");
    let own = VARIABLES.iter().filter(|variable| {
        reader == Reader::All || variable.reader == Reader::All || variable.reader == reader
    });
    for variable in own {
        let (name, what) = (text(variable.name), text(variable.what));
        let _ = writeln!(out, ".TP\n\\fB{name}\\fR\n{what}");
    }
    out
}

fn paragraphs(texts: &[&str]) -> String {
    let texts: Vec<String> = texts.iter().map(|one| text(one) + "\n").collect();
    texts.join(".PP\n")
}

/// Lines that stay as they are, indented.
fn preformatted(lines: &[&str]) -> String {
    let mut out = String::from(".PP\n.RS 4\n.nf\n");
    for line in lines {
        out += &text(line);
        out.push('\n');
    }
    out + ".fi\n.RE\n.PP\n"
}

/// A line in which nothing means anything to roff.
fn text(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line,
    }
}
