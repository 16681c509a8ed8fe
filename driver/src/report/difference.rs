//! Which lines of a kernel differ between what the user wrote and what the FPGA compiler gets.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::data::Line;

/// Notes in both texts the lines that the other one lacks. Blanks and braces do not count.
pub fn mark(original: &mut [Line], rewritten: &mut [Line]) {
    let [old, new] =
        [&*original, &*rewritten].map(|lines| lines.iter().map(key).collect::<Vec<_>>());
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        change(&mut original[op.old_range()]);
        change(&mut rewritten[op.new_range()]);
    }
}

fn change(lines: &mut [Line]) {
    for line in lines {
        line.changed = !key(line).is_empty();
    }
}

/// What two lines that are the same have in common: braces stand where everyone wants them.
fn key(line: &Line) -> String {
    let is_meant = |c: &char| !c.is_whitespace() && *c != '{' && *c != '}';
    line.text.chars().filter(is_meant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let line = |text: &str| Line {
            number: None,
            changed: false,
            text: text.to_string(),
            marks: Vec::new(),
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn blanks_and_braces_do_not_count() {
        let mut old = lines("void k()\n{\n  int i=0;\n  f(i);\n}");
        let mut new = lines("// made\nvoid k() {\nint i = 0;\n    g(i);\n}\n}");
        mark(&mut old, &mut new);
        let changed = |lines: &[Line]| lines.iter().map(|line| line.changed).collect::<Vec<_>>();
        assert_eq!(changed(&old), [false, false, false, true, false]);
        assert_eq!(changed(&new), [true, false, false, true, false, false]);
    }
}
