//! What pragmas and attributes say of a loop.

use fpgacc_frontend::ir::LoopHints;

use crate::graph::Hints;

/// What pragmas say of a loop's pipelining.
pub(super) fn hints(written: &LoopHints) -> Hints {
    let mut hints = Hints::default();
    for pragma in &written.pragmas {
        let (name, rest) = pragma
            .split_once(char::is_whitespace)
            .unwrap_or((pragma, ""));
        let number = || rest.trim().trim_matches(['(', ')']).parse::<f64>().ok();
        match name {
            "ivdep" => {
                let within = |word: &str| {
                    let at = rest.find(word)? + word.len();
                    let inner = rest[at..].trim_start().strip_prefix('(')?;
                    Some(inner.split(')').next()?.trim().to_string())
                };
                let safe = within("safelen")
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(u64::MAX);
                match within("array") {
                    Some(array) => {
                        hints.ivdep_arrays.insert(array, safe);
                    }
                    None => hints.ivdep = Some(safe),
                }
            }
            "ii" => hints.ii = number(),
            "speculated_iterations" => hints.speculated = number(),
            "max_concurrency" => hints.concurrency = number(),
            "disable_loop_pipelining" => hints.serial = true,
            _ => {}
        }
    }
    hints
}
