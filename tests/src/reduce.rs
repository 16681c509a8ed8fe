//! Makes a failing job small: fewer launches, kernels, statements and operands, as long as it fails
//! in the same way (delta debugging, Zeller and Hildebrandt 2002, on the lines of the text and what
//! their braces hold).

use std::collections::BTreeMap;

use crate::job::{Arg, Geometry, Job};
use crate::rewrite;

/// Makes a job small. `fails` says whether a candidate still fails in the way that is looked for;
/// it must say no to what is not legal. At most `tries` candidates are tried.
pub fn reduce(job: &Job, tries: usize, mut fails: impl FnMut(&Job) -> bool) -> Job {
    let mut search = Search {
        best: job.clone(),
        left: tries,
        fails: &mut fails,
    };
    search.launches();
    search.shrink_buffers();
    if let Ok(text) = rewrite::normalised(&search.best) {
        search.attempt_text(one_statement_a_line(&text));
    }
    search.functions();
    loop {
        let before = search.best.clone();
        search.lines();
        search.operands();
        search.geometry();
        if search.best == before || search.left == 0 {
            break;
        }
    }
    search.best
}

struct Search<'f> {
    best: Job,
    left: usize,
    fails: &'f mut dyn FnMut(&Job) -> bool,
}

impl Search<'_> {
    fn attempt(&mut self, candidate: Job) -> bool {
        if self.left == 0 || candidate == self.best {
            return false;
        }
        self.left -= 1;
        let good = (self.fails)(&candidate);
        if good {
            self.best = candidate;
        }
        good
    }

    fn attempt_text(&mut self, text: String) -> bool {
        let candidate = self.best.with_source(text);
        self.attempt(candidate)
    }

    /// One launch, if one is enough.
    fn launches(&mut self) {
        for index in 0..self.best.launches.len() {
            let mut candidate = self.best.clone();
            candidate.launches = vec![candidate.launches[index].clone()];
            if self.best.launches.len() > 1 && self.attempt(candidate) {
                return;
            }
        }
    }

    /// Without the buffers that no launch passes.
    fn shrink_buffers(&mut self) {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut candidate = self.best.clone();
        for arg in candidate.launches.iter_mut().flat_map(|l| &mut l.args) {
            if let Arg::Buffer(number) = arg {
                let next = numbers.len();
                *number = *numbers.entry(*number).or_insert(next);
            }
        }
        let mut order: Vec<(usize, usize)> = numbers.into_iter().map(|(a, b)| (b, a)).collect();
        order.sort_unstable();
        let buffers = order.iter().map(|(_, old)| self.best.buffers[*old].clone());
        candidate.buffers = buffers.collect();
        self.attempt(candidate);
    }

    /// Without functions that are not needed.
    fn functions(&mut self) {
        let mut tried = 0;
        while self.left > 0 {
            let lines: Vec<String> = self.best.source.lines().map(str::to_string).collect();
            let is_head = |line: &&String| !line.starts_with([' ', '}']) && line.ends_with('{');
            let heads = lines.iter().enumerate().filter(|(_, line)| is_head(line));
            let heads: Vec<usize> = heads.map(|(at, _)| at).collect();
            // The last is the kernel; helpers of helpers stand above them.
            let Some(at) = heads.len().checked_sub(tried + 2).map(|at| heads[at]) else {
                return;
            };
            let end = marks(&lines, at).last().map_or(at, |end| end + 1);
            let kept = lines[..at].iter().chain(&lines[end..]);
            let text: String = kept.map(|line| format!("{line}\n")).collect();
            if !self.attempt_text(text) {
                tried += 1;
            }
        }
    }

    /// Without lines, and what stands between their braces.
    fn lines(&mut self) {
        let mut at = 0;
        loop {
            let lines: Vec<String> = self.best.source.lines().map(str::to_string).collect();
            // Backwards: what is used goes after what uses it.
            let Some(index) = lines.len().checked_sub(at + 1) else {
                return;
            };
            if self.left == 0 {
                return;
            }
            let shorter = candidates(&lines, index).into_iter().find(|keep| {
                let kept = lines.iter().zip(keep).filter(|(_, keep)| **keep);
                let text: String = kept.map(|(line, _)| format!("{line}\n")).collect();
                self.attempt_text(text)
            });
            if shorter.is_none() {
                at += 1;
            }
        }
    }

    /// With smaller expressions.
    fn operands(&mut self) {
        let mut from = 0;
        while self.left > 0 {
            let text = self.best.source.clone();
            let Some(open) = text[from..].find('(').map(|at| at + from) else {
                return;
            };
            from = open + 1;
            let Some(close) = closing(&text, open) else {
                continue;
            };
            let inner = &text[open + 1..close];
            if inner.len() < 4 || inner.contains('\n') || inner.contains('{') {
                continue;
            }
            let called = text[..open].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if called {
                continue;
            }
            let whole = |with: &str| format!("{}{with}{}", &text[..open], &text[close + 1..]);
            for with in ["0u", "1u"] {
                if self.attempt_text(whole(with)) {
                    break;
                }
            }
        }
    }

    /// Over fewer work-items.
    fn geometry(&mut self) {
        let Some(Geometry::Range {
            offset,
            global,
            local,
        }) = self.best.launches.first().map(|l| l.geometry.clone())
        else {
            return;
        };
        let with = |search: &mut Self, offset: &[u64], global: &[u64], local: &[u64]| {
            let mut candidate = search.best.clone();
            candidate.launches[0].geometry = Geometry::offset_range(offset, global, local);
            search.attempt(candidate);
        };
        if !offset.is_empty() {
            with(self, &[], &global, &local);
        }
        for dim in 0..global.len() {
            if let Some(size) = local.get(dim)
                && global[dim] > *size
            {
                let mut fewer = global.clone();
                fewer[dim] -= size;
                with(self, &offset, &fewer, &local);
            }
        }
    }
}

/// The printer breaks long lines: here each statement is one.
fn one_statement_a_line(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let whole = [";", "{", "}", ":"].iter().any(|end| line.ends_with(end));
        let directive = line.trim_start().starts_with('#') || line.trim_start().starts_with("//");
        let text = match joined.is_empty() || joined.ends_with('\n') {
            true => line,
            false => line.trim_start(),
        };
        joined.push_str(text);
        joined.push_str(if whole || directive || line.is_empty() {
            "\n"
        } else {
            " "
        });
    }
    joined
}

/// Which lines to keep, largest cuts first, for the line at an index.
fn candidates(lines: &[String], index: usize) -> Vec<Vec<bool>> {
    let without = |range: std::ops::Range<usize>| {
        let keep = (0..lines.len()).map(|line| !range.contains(&line));
        keep.collect::<Vec<_>>()
    };
    let line = lines[index].trim();
    if line.is_empty() {
        return Vec::new();
    }
    if line.starts_with('}') && line.ends_with('{') {
        return Vec::new();
    }
    if line.starts_with('}') {
        // Handled at the line that opens.
        return Vec::new();
    }
    if !line.ends_with('{') {
        return vec![without(index..index + 1)];
    }
    let marks = marks(lines, index);
    let Some(&end) = marks.last() else {
        return Vec::new();
    };
    let mut all = vec![without(index..end + 1)];
    let keep = (0..lines.len()).map(|line| !marks.contains(&line));
    all.push(keep.collect());
    for pair in marks.windows(2).skip(1) {
        all.push(without(pair[0]..pair[1]));
    }
    all
}

/// The lines that open and close what the line at `index` opens: itself, `} else {`, `}`.
fn marks(lines: &[String], index: usize) -> Vec<usize> {
    let mut depth = 0;
    let mut marks = vec![index];
    for (at, line) in lines.iter().enumerate().skip(index) {
        let line = line.trim();
        if line.starts_with('}') {
            depth -= 1;
            if depth == 0 {
                marks.push(at);
                if !line.ends_with('{') {
                    return marks;
                }
            }
        }
        if line.ends_with('{') {
            depth += 1;
        }
    }
    Vec::new()
}

/// Where the parenthesis that opens at `open` closes.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let text = "void other(void)\n{\n    x();\n}\n\n__kernel void k(__global int *a) {\n    int b = 1;\n    if (b) {\n        a[0] = (3 + 4 + 5);\n    } else {\n        a[1] = 2;\n    }\n    b = 3;\n}\n";
        let text = text.replace(")\n{", ") {");
        let job = Job::new(text);
        let small = reduce(&job, 500, |job| {
            job.source.contains("__kernel") && job.source.contains("a[0]")
        });
        assert!(!small.source.contains("other"), "{}", small.source);
        assert!(!small.source.contains("else"), "{}", small.source);
        assert!(!small.source.contains("b = 3"), "{}", small.source);
        assert!(!small.source.contains("3 + 4"), "{}", small.source);
    }
}
