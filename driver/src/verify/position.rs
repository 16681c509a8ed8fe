//! Lines of the host, from addresses in its code.

use std::path::Path;

use fpgacc_aoc_wrappers::process::Command;

use crate::trace::positions::is_of_host;

/// Where a call was made: `host.c:52`, or the function's name where there is no debug information,
/// or `unknown line`. `from`: the address after the call, and after each that led to it; a binding's own are passed over.
pub fn of(executable: &Path, from: &[u64]) -> String {
    let mut all = from
        .iter()
        .filter_map(|address| frames(executable, *address));
    let Some(innermost) = all.next() else {
        return "unknown line".to_string();
    };
    let outer = || all.find_map(|frames| frames.own);
    innermost.own.or_else(outer).unwrap_or(innermost.any)
}

/// What is at an address, and was inlined there.
struct Frames {
    /// The innermost position in a file of the host's own.
    own: Option<String>,
    /// The innermost position, or a function's name.
    any: String,
}

fn frames(executable: &Path, address: u64) -> Option<Frames> {
    // The address is after the call: the call itself ends one byte before it.
    let address = format!("{:#x}", address.checked_sub(1)?);
    let command = Command::new("addr2line").args(["-f", "-i", "-C", "-e"]);
    let output = command
        .arg(executable)
        .arg(address)
        .silent()
        .capture()
        .ok()?;
    let text = output.stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    // Two lines for each function that was inlined there, the innermost first.
    let positions = lines.chunks_exact(2).map(|frame| frame[1]);
    let positions: Vec<&str> = positions.filter(|position| is_known(position)).collect();
    let shown = |position: &&str| {
        let position = position.split(" (").next().unwrap_or(position);
        relative(position).to_string()
    };
    let file = |position: &str| position.split(':').next().unwrap_or_default().to_string();
    let is_own = |position: &&&str| is_of_host(&file(position));
    let function = lines.first().filter(|name| !name.starts_with("??"));
    let named = || function.map(|name| format!("in {name}"));
    Some(Frames {
        own: positions.iter().find(is_own).map(shown),
        any: positions.first().map(shown).or_else(named)?,
    })
}

fn is_known(position: &str) -> bool {
    let line = position.rsplit(':').next().unwrap_or_default();
    !position.starts_with("??") && !line.starts_with(['?', '0'])
}

/// As seen from the working folder.
fn relative(position: &str) -> &str {
    let here = std::env::current_dir().unwrap_or_default();
    let below = Path::new(position).strip_prefix(&here).ok();
    below.and_then(Path::to_str).unwrap_or(position)
}
