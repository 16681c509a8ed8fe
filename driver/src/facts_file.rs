//! Launch facts as a file.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::facts::{FORMAT_VERSION, Facts};
use fpgacc_frontend::source::{SourceMap, Span};

/// The facts in a file's bytes, or what is wrong with them.
pub fn parse(name: &str, bytes: &[u8], sources: &mut SourceMap) -> Result<Facts, Diagnostic> {
    match serde_yaml::from_slice::<Facts>(bytes) {
        Ok(facts) if facts.version == FORMAT_VERSION => Ok(facts),
        Ok(facts) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let line = text.lines().position(|line| line.starts_with("version"));
            let file = sources.add(name, text);
            let span = sources.line_span(file, line.map_or(1, |line| line as u32 + 1));
            Err(Diagnostic::error(format!(
                "launch facts of version {}, not {FORMAT_VERSION}",
                facts.version
            ))
            .at(span)
            .help("make them again: fpgacc --emit=facts host.c"))
        }
        Err(error) => Err(not_facts(name, bytes, sources, &error)),
    }
}

/// Without the whole text of a file that is something else.
fn shortened(message: &str) -> String {
    const MOST: usize = 200;
    match message.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &message[..end]),
        None => message.to_string(),
    }
}

fn not_facts(
    name: &str,
    bytes: &[u8],
    sources: &mut SourceMap,
    error: &serde_yaml::Error,
) -> Diagnostic {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let message = error.to_string();
    // Where it is stands in front already.
    let end = message.rfind(" at line ").unwrap_or(message.len());
    let message = format!("not launch facts: {}", shortened(&message[..end]));
    let mut diagnostic = Diagnostic::error(message);
    if let Some(location) = error.location() {
        let file = sources.add(name, text);
        let line = sources.line_span(file, location.line() as u32);
        let start = (location.index() as u32).clamp(line.start, line.end);
        diagnostic = diagnostic.at(Span { start, ..line });
    } else {
        diagnostic.message = format!("{name}: {}", diagnostic.message);
    }
    diagnostic.help("fpgacc --emit=facts host.c shows the format")
}
