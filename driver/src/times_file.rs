//! `--measured`: times that a user measured of forms of kernels, as lines of text: `kernel,form,ms`.

use csv::{ReaderBuilder, StringRecord};
use fpgacc_decision::timed::{Learned, Timed};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{FileId, SourceMap, Span};

use crate::compiled::Compiled;
use crate::session::{Session, Step};

/// The columns that a file has; others are left alone.
const COLUMNS: [&str; 3] = ["kernel", "form", "ms"];

const SHOWS_FORMS: &str = "the tables and the JSON of fpgacc report name the forms; in the file, a name with a comma \
                           stands in quotes";

/// Reads the file that the options name, once.
pub fn load(session: &mut Session) -> Step<()> {
    let Some(path) = session.options.times.clone() else {
        return Ok(());
    };
    if session.times.is_some() {
        return Ok(());
    }
    let bytes = session.read(&path)?;
    session.dependencies.add_source(&path);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = path.display().to_string();
    match parse(&name, &text, &mut session.sources) {
        Ok(times) => session.times = Some(times),
        Err(error) => return session.fail(error),
    }
    Ok(())
}

/// The times in a text.
fn parse(name: &str, text: &str, sources: &mut SourceMap) -> Result<Vec<Timed>, Diagnostic> {
    let file = sources.add(name, text.to_string());
    let reader = ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut records = reader.into_records();
    let mut columns = None;
    let mut times = Vec::new();
    while let Some(record) = records.next() {
        let line = records.reader().position().line();
        let record = record.map_err(|error| Diagnostic::error(format!("{name}: {error}")))?;
        let line = record.position().map_or(line, |at| at.line()) as u32;
        let row = Row { record, line, file };
        match columns {
            None => columns = Some(row.columns(sources)?),
            Some(columns) => times.push(row.time(columns, sources)?),
        }
    }
    match times.is_empty() {
        true => {
            let error = Diagnostic::error("no time is in this file").at(sources.line_span(file, 1));
            Err(error.help(
                "each line after the first names a kernel, a form and its time: kernel,form,ms",
            ))
        }
        false => Ok(times),
    }
}

/// A line.
struct Row {
    record: StringRecord,
    line: u32,
    file: FileId,
}

impl Row {
    /// Where the columns are.
    fn columns(&self, sources: &SourceMap) -> Result<[usize; 3], Diagnostic> {
        let mut found = [0; 3];
        for (column, index) in COLUMNS.iter().zip(&mut found) {
            let at = self.record.iter().position(|name| name.trim() == *column);
            *index = at.ok_or_else(|| {
                Diagnostic::error(format!("there is no column '{column}'"))
                    .at(sources.line_span(self.file, self.line))
                    .help("the first line names the columns: kernel,form,ms")
            })?;
        }
        Ok(found)
    }

    fn time(&self, columns: [usize; 3], sources: &SourceMap) -> Result<Timed, Diagnostic> {
        let [kernel, form, ms] = columns.map(|at| self.record.get(at).map_or("", str::trim));
        let known: Option<f64> = ms.parse().ok();
        let Some(ms) = known.filter(|ms| *ms > 0.0 && ms.is_finite()) else {
            let what = format!("'{ms}' is no time: a number of milliseconds above 0 is expected");
            return Err(Diagnostic::error(what).at(self.span(ms, sources)));
        };
        let field = if form.is_empty() { kernel } else { form };
        Ok(Timed {
            kernel: kernel.to_string(),
            form: form.to_string(),
            seconds: ms / 1e3,
            span: self.span(field, sources),
        })
    }

    /// Where a field stands, or the line.
    fn span(&self, field: &str, sources: &SourceMap) -> Span {
        let line = sources.line_span(self.file, self.line);
        let found = sources
            .text(line)
            .rfind(field)
            .filter(|_| !field.is_empty());
        found.map_or(line, |at| Span {
            start: line.start + at as u32,
            end: line.start + (at + field.len()) as u32,
            ..line
        })
    }
}

/// Stops if a time is of no form of its kernel. `forms`: the names of the kernel's forms.
pub fn check_forms(
    session: &mut Session,
    learned: &Learned,
    forms: impl Fn(&str) -> Vec<String>,
) -> Step<()> {
    let Some(time) = learned.unknown.first() else {
        return Ok(());
    };
    let quoted = forms(&time.kernel)
        .into_iter()
        .map(|form| format!("'{form}'"));
    let message = format!("kernel '{}' has no form '{}' here", time.kernel, time.form);
    let error = Diagnostic::error(message).at(time.span).note(format!(
        "its forms are {}",
        quoted.collect::<Vec<_>>().join(", ")
    ));
    session.fail(error.help(SHOWS_FORMS))
}

/// Stops if a time is of no kernel.
pub fn check_kernels(session: &mut Session, compiled: &[Compiled]) -> Step<()> {
    let Some(times) = session.times.clone() else {
        return Ok(());
    };
    let modules = || {
        compiled
            .iter()
            .filter_map(|one| one.rewritten.parsed.as_ref())
    };
    let mut names = modules().flat_map(|module| {
        let names = module
            .kernels()
            .map(|id| module.functions[id].name.as_str());
        names.collect::<Vec<_>>()
    });
    let names: Vec<&str> = names.by_ref().collect();
    let Some(time) = times
        .iter()
        .find(|time| !names.contains(&time.kernel.as_str()))
    else {
        return Ok(());
    };
    let message = format!("there is no kernel '{}'", time.kernel);
    let known: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let error = Diagnostic::error(message).at(sources_line(session, time.span));
    session.fail(match known.is_empty() {
        true => error,
        false => error.note(format!("the kernels are {}", known.join(", "))),
    })
}

/// The whole line of a position.
fn sources_line(session: &Session, span: Span) -> Span {
    let line = session.sources.location(span).line;
    session.sources.line_span(span.file, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> Result<Vec<(String, String, f64)>, String> {
        let parsed = parse("t.csv", text, &mut SourceMap::new());
        let parsed = parsed.map_err(|error| error.message)?;
        Ok(parsed
            .into_iter()
            .map(|one| (one.kernel, one.form, one.seconds))
            .collect())
    }

    #[test]
    fn columns_have_names_and_forms_have_commas() {
        let text = "date,ms,form,kernel\nmonday, 2.5 ,\"NDRange, as it is\",k\n";
        let known = ("k".to_string(), "NDRange, as it is".to_string(), 2.5e-3);
        assert_eq!(times(text), Ok(vec![known]));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let of = |ms: &str| times(&format!("kernel,form,ms\nk,NDRange,{ms}\n"));
        for wrong in ["", "-1", "0", "nan", "inf", "1s"] {
            assert!(of(wrong).unwrap_err().contains("is no time"), "{wrong}");
        }
        assert!(of("1e3").is_ok());
        assert!(
            times("kernel,form\nk,NDRange\n")
                .unwrap_err()
                .contains("no column 'ms'")
        );
        assert!(times("kernel,form,ms\n").unwrap_err().contains("no time"));
        assert!(times("").unwrap_err().contains("no time"));
    }
}
