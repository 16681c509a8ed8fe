//! Lines of the host, from addresses in its code.

use std::path::Path;

use fpgacc_aoc_wrappers::process::Command;

/// Where a call was made: `host.c:52`, or the function's name where there is no debug information,
/// or `unknown line`.
pub fn of(executable: &Path, address: u64) -> String {
    find(executable, address).unwrap_or_else(|| "unknown line".to_string())
}

fn find(executable: &Path, address: u64) -> Option<String> {
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
    let frames = lines.chunks_exact(2).map(|frame| (frame[0], frame[1]));
    let frames: Vec<(&str, &str)> = frames.filter(|(_, position)| is_known(position)).collect();
    let own = frames
        .iter()
        .find(|(_, position)| !position.starts_with("/usr/"));
    if let Some((_, position)) = own.or(frames.first()) {
        let position = position.split(" (").next().unwrap_or(position);
        return Some(relative(position).to_string());
    }
    let function = lines.first().filter(|name| !name.starts_with("??"));
    function.map(|name| format!("in {name}"))
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
