//! The files of all variants, and the plan by which they are timed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use super::case::{Case, Made};
use super::space::{self, Point};

/// Writes variants of a case into a folder; what is timed of them, each behind the kernel as it is. Variants that
/// come out as the same text are one.
///
/// # Errors
///
/// A variant cannot be made, or its file not be written.
pub fn of(case: &Case, widest: u64, (root, folder): (&str, &Path)) -> Result<String, String> {
    let local = case.entry.local.clone().unwrap_or_default();
    let stem = case.entry.program.replace('/', "-");
    let mut plan = String::new();
    let mut texts = BTreeSet::new();
    let points = space::points(&local).into_iter();
    for point in points.filter(|point| point.lanes <= widest) {
        let Some(made) = case.make(&point)? else {
            continue;
        };
        let text = case.text(&made)?;
        if !texts.insert(text.clone()) {
            continue;
        }
        let name = point.name().replace([':', ';', '='], "_");
        let path = folder.join(format!("{stem}-{}-{name}.cl", case.entry.kernel));
        std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))?;
        plan.push_str(&pair(case, &point, &made, (root, &path))?);
    }
    Ok(plan)
}

fn pair(
    case: &Case,
    point: &Point,
    made: &Made,
    (root, path): (&str, &Path),
) -> Result<String, String> {
    let mut entry = case.entry.clone();
    entry.program = point.name();
    let mut plan = entry.plan(root, case.data);
    let divided = |sizes: &[u64], of: &dyn Fn(usize) -> u64| {
        let sizes = sizes.iter().enumerate();
        let sizes: Vec<String> = sizes
            .map(|(dim, size)| (size / of(dim)).to_string())
            .collect();
        sizes.join(" ")
    };
    let global = divided(&entry.dims(case.data)?, &|dim| made.divides(dim).0);
    let local = divided(&point.local, &|dim| made.divides(dim).1);
    let _ = writeln!(
        plan,
        "kernel {} {} {}",
        entry.program,
        entry.kernel,
        path.display()
    );
    let _ = writeln!(plan, "global {global}\nlocal {local}");
    for arg in entry.spelled_args(case.data) {
        let _ = writeln!(plan, "arg {arg}");
    }
    plan.push_str("run\n");
    Ok(plan)
}
