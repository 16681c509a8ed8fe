//! Launch facts as a file.

use std::path::Path;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::{FORMAT_VERSION, Facts};

/// Facts lie this deep at most, with much to spare. The YAML parser's time grows with the square of the
/// depth.
const DEEPEST: usize = 1000;

/// The facts in a file that no other message points into.
///
/// # Errors
/// It cannot be read, or where something is wrong with it.
pub fn read(path: &Path) -> Result<Facts, Diagnostic> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| Diagnostic::error(format!("cannot read '{name}': {error}")))?;
    let mut sources = SourceMap::new();
    parse(&name, &bytes, &mut sources).map_err(|mut error| {
        let at = error.primary.take();
        let at = at.map_or(name, |(span, _)| sources.location(span).to_string());
        error.message = format!("{at}: {}", error.message);
        error
    })
}

/// The facts in a file's bytes, or what is wrong with them.
pub fn parse(name: &str, bytes: &[u8], sources: &mut SourceMap) -> Result<Facts, Diagnostic> {
    if let Some(at) = too_deep(bytes) {
        let file = sources.add(name, String::from_utf8_lossy(bytes).into_owned());
        let (start, end) = (at as u32, at as u32 + 1);
        let message = format!("not launch facts: more than {DEEPEST} levels within each other");
        return Err(Diagnostic::error(message)
            .at(Span { file, start, end })
            .help("fpgacc --emit=facts host.c shows the format"));
    }
    let reader = serde_yaml::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize::<_, Facts>(reader) {
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

/// Where YAML goes too deep: brackets within each other, or `- - -`. Within a quoted text nothing counts.
fn too_deep(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut dashes) = (0usize, 0usize);
    let mut quote = None;
    let mut before = b'\n';
    for (at, &byte) in bytes.iter().enumerate() {
        // A quote within a word is none.
        let starts = matches!(before, b' ' | b'\t' | b'\n' | b'[' | b'{' | b',' | b':');
        match (byte, quote) {
            (_, Some(open)) if byte == open && (open == b'\'' || before != b'\\') => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) if starts => quote = Some(byte),
            (b'[' | b'{', None) => depth += 1,
            (b']' | b'}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        dashes = match byte {
            b' ' if matches!(before, b'-' | b'?') => dashes + 1,
            b' ' => dashes,
            // A line in a comment is none.
            b'-' | b'?' if before != byte => dashes,
            _ => 0,
        };
        if depth > DEEPEST || dashes > DEEPEST {
            return Some(at);
        }
        before = byte;
    }
    None
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
    error: &serde_path_to_error::Error<serde_yaml::Error>,
) -> Diagnostic {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let path = error.path();
    let error = error.inner();
    let message = error.to_string();
    // Where it is stands in front already.
    let end = message.rfind(" at line ").unwrap_or(message.len());
    let message = &message[..end];
    // The reader of YAML names the entry, this the field. One of the whole file is seen at the line.
    let field = path.to_string();
    let message = match message.split_once(": ") {
        Some((entry, rest)) if field.starts_with(entry) => rest,
        _ => message,
    };
    let field = match path.iter().len() {
        0 | 1 => String::new(),
        _ => format!("{field}: "),
    };
    let message = format!("not launch facts: {field}{}", shortened(message));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_bounded_before_yaml_is_read() {
        let message = |text: String| {
            let parsed = parse("facts.yaml", text.as_bytes(), &mut SourceMap::new());
            parsed.map(|_| ()).map_err(|error| error.message)
        };
        for word in ["[", "{", "- ", "[[", "{a: "] {
            let error = message(word.repeat(100_000)).unwrap_err();
            assert!(error.contains("more than 1000 levels"), "{word}: {error}");
        }
        // Kernels have braces and dashes.
        let text = format!("version: 1\ntexts: []\n# {}\n", "-".repeat(2000));
        assert_eq!(message(text), Ok(()));
        let kernel = "\"".to_string() + &"{".repeat(2000) + "\"";
        let error = message(format!("version: 1\nname: {kernel}\n")).unwrap_err();
        assert!(error.contains("unknown field"), "{error}");
    }
}
