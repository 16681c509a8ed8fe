//! The messages of OpenCL compilers, brought into the shape `file:line:col: error: message`.

/// What the Intel compiler says of its own progress.
const CHATTER: [&str; 9] = [
    "Compilation started",
    "Compilation done",
    "Compilation failed",
    "Linking started",
    "Linking done",
    "Device build started",
    "Device build done",
    "Done.",
    "Options used by backend compiler:",
];

/// The messages of a build log, without the compiler's talk of its own progress. Positions are
/// those of the user's file already: the texts name it in a `#line`.
pub(crate) fn messages(log: &str) -> String {
    let mut text = String::new();
    for line in log.lines() {
        if is_chatter(line) {
            continue;
        }
        text += &reordered(line).unwrap_or_else(|| line.to_string());
        text.push('\n');
    }
    match text.trim().is_empty() {
        true => String::new(),
        false => text,
    }
}

fn is_chatter(line: &str) -> bool {
    let vectorized = line.starts_with("Kernel \"") && line.contains("vectorized");
    // PoCL's last line on failure: the device is this processor.
    let failed = line.starts_with("Device ") && line.ends_with("failed to build the program");
    vectorized || failed || CHATTER.iter().any(|start| line.starts_with(start))
}

/// PoCL's `error: k.cl:2:45: message` as `k.cl:2:45: error: message`.
fn reordered(line: &str) -> Option<String> {
    let (severity, rest) = line.split_once(": ")?;
    if !["error", "warning", "note", "fatal error"].contains(&severity) {
        return None;
    }
    // The path ends at the first `:line:col: `; a file name may hold colons.
    let end = rest
        .match_indices(": ")
        .map(|(at, _)| at)
        .find(|&at| is_position(&rest[..at]))?;
    Some(format!(
        "{}: {severity}: {}",
        &rest[..end],
        &rest[end + 2..]
    ))
}

fn is_position(text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next().is_some_and(number);
    let line = parts.next().is_some_and(number);
    column && line && parts.next().is_some_and(|file| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_said_of_the_kernels() {
        let intel = "Compilation started\nd/k.cl:2:45: error: use of undeclared identifier 'a'\n\
                     int b = a;\n        ^\nCompilation failed\n";
        assert_eq!(
            messages(intel),
            "d/k.cl:2:45: error: use of undeclared identifier 'a'\nint b = a;\n        ^\n"
        );
        let quiet = "Compilation started\nCompilation done\nLinking started\nLinking done\n\
                     Device build started\nOptions used by backend compiler: -I.\n\
                     Device build done\nKernel \"add\" was successfully vectorized (16)\nDone.\n";
        assert_eq!(messages(quiet), "");
    }

    #[test]
    fn puts_the_place_first() {
        let pocl = "error: k.cl:2:45: no: really\nwarning: a: b.cl:1:2: hm\n\
                    Device pthread-x failed to build the program\nerror: no place\n";
        assert_eq!(
            messages(pocl),
            "k.cl:2:45: error: no: really\na: b.cl:1:2: warning: hm\nerror: no place\n"
        );
    }
}
