//! The report as one page that needs nothing but itself.

use minijinja::{Environment, Value, context};
use serde::Serialize;

use super::data::{Kernel, Line, Mark, Position, Report};
use super::highlight::Highlighter;
use super::position::list;
use super::{picture, plot};

/// The template; its name makes minijinja escape what stands in it.
const NAME: &str = "page.html";

/// Both sides of a kernel.
#[derive(Serialize)]
struct Texts<'a> {
    original: Vec<PageLine<'a>>,
    rewritten: Vec<PageLine<'a>>,
}

/// A line in colours.
#[derive(Serialize)]
struct PageLine<'a> {
    number: Option<u32>,
    changed: bool,
    marks: &'a [Mark],
    html: Value,
}

/// Something that the whole report rests on, with the section of its kernel.
#[derive(Serialize)]
struct Guess<'a> {
    id: String,
    kernel: &'a str,
    launch: Option<&'a Position>,
    text: &'a str,
}

/// An operation without a price, with the section of its kernel.
#[derive(Serialize)]
struct Free<'a> {
    id: String,
    kernel: &'a str,
    positions: String,
    name: &'a str,
    priced_as: &'a str,
}

/// The page.
///
/// # Errors
/// The template is wrong.
pub fn text(report: &Report) -> Result<String, minijinja::Error> {
    use fpgacc_decision::describe;
    let mut environment = Environment::new();
    environment.add_filter("seconds", describe::seconds);
    environment.add_filter("number", describe::number);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template(NAME, include_str!("page.html"))?;
    let programs = || report.programs.iter();
    let plots: Vec<Vec<plot::Plot>> = programs()
        .map(|program| program.kernels.iter().map(plot::plot).collect())
        .collect();
    let texts: Vec<Vec<Texts>> = programs()
        .map(|program| program.kernels.iter().map(texts).collect())
        .collect();
    let pictures: Vec<_> = programs().map(picture::picture).collect();
    let is_measured = |kernel: &Kernel| kernel.candidates.iter().any(|form| form.origin != "model");
    let any_measured = programs().any(|program| program.kernels.iter().any(is_measured));
    let command = report.command.iter().map(String::as_str);
    let command = shlex::try_join(command).unwrap_or_else(|_| report.command.join(" "));
    let page = environment.get_template(NAME)?;
    page.render(context! {
        report, plots, texts, pictures, any_measured, command,
        assumed => assumed(report),
        unpriced => unpriced(report),
        style => Value::from_safe_string(include_str!("page.css").to_string()),
        script => Value::from_safe_string(include_str!("page.js").to_string()),
    })
}

/// All kernels with the names of their sections.
fn kernels(report: &Report) -> impl Iterator<Item = (String, &Kernel)> {
    report
        .programs
        .iter()
        .enumerate()
        .flat_map(|(outer, program)| {
            let id = move |at: usize| format!("k{}-{}", outer + 1, at + 1);
            let kernels = program.kernels.iter().enumerate();
            kernels.map(move |(at, kernel)| (id(at), kernel))
        })
}

fn assumed(report: &Report) -> Vec<Guess<'_>> {
    let mut found = Vec::new();
    for (id, kernel) in kernels(report) {
        for part in &kernel.parts {
            found.extend(part.assumed.iter().map(|text| Guess {
                id: id.clone(),
                kernel: &kernel.name,
                launch: part.launch.as_ref(),
                text,
            }));
        }
    }
    found
}

fn unpriced(report: &Report) -> Vec<Free<'_>> {
    let mut found = Vec::new();
    for (id, kernel) in kernels(report) {
        let by_name = kernel.unpriced_by_name().into_iter();
        found.extend(by_name.map(|(one, positions)| Free {
            id: id.clone(),
            kernel: &kernel.name,
            positions: list(&positions),
            name: &one.name,
            priced_as: &one.priced_as,
        }));
    }
    found
}

fn texts(kernel: &Kernel) -> Texts<'_> {
    Texts {
        original: coloured(&kernel.original),
        rewritten: coloured(&kernel.rewritten),
    }
}

fn coloured(lines: &[Line]) -> Vec<PageLine<'_>> {
    let mut highlighter = Highlighter::default();
    let mut all = Vec::new();
    for line in lines {
        // A line of nothing would have no height, and would not be copied.
        let html = match line.text.is_empty() {
            true => " ".to_string(),
            false => highlighter.line(&line.text),
        };
        all.push(PageLine {
            number: line.number,
            changed: line.changed,
            marks: &line.marks,
            html: Value::from_safe_string(html),
        });
    }
    all
}
