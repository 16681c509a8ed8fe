//! What OpenCL C and its extensions declare: types, functions with their result types, constants.

pub(crate) mod constants;
pub(crate) mod functions;
pub(crate) mod types;

/// The candidate most like `name`, if one is near enough to be meant.
pub(crate) fn nearest<S: AsRef<str> + Copy>(
    name: &str,
    candidates: impl Iterator<Item = S>,
) -> Option<S> {
    if name.len() > 64 {
        return None;
    }
    let most = match name.len() {
        0..=2 => return None,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| candidate.as_ref().len().abs_diff(name.len()) <= most)
        .map(|candidate| (distance(name, candidate.as_ref()), candidate))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["get_global_id", "get_group_id", "sqrt", "barrier"];
        let check = |name: &str| nearest(name, names.iter().copied());
        assert_eq!(check("get_globl_id"), Some("get_global_id"));
        assert_eq!(check("sqtr"), Some("sqrt"));
        assert_eq!(check("foo"), None);
        assert_eq!(check("bariers"), Some("barrier"));
    }
}
