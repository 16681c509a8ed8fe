//! What `pairs.c` measured of variants.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::space::{self, Point};
use crate::geometry::kernels::Entry;
use crate::means::geometric_mean;

/// What results may differ by, as a part of the largest number: vectors take other functions of the library.
const ROUNDING: f64 = 1e-5;

#[derive(Deserialize)]
struct Line {
    program: String,
    kernel: String,
    before_us: f64,
    after_us: f64,
    difference: f64,
}

/// A variant's time.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kernel's name.
    pub kernel: String,
    /// What was done.
    pub point: Point,
    /// Microseconds of the kernel as it is, in the same work-groups.
    pub before: f64,
    /// Microseconds.
    pub after: f64,
    /// Whether it computes the same.
    pub is_right: bool,
}

/// Reads the table. The kernel as it is was measured beside each variant, by turns: what slowed both down cancels.
///
/// # Errors
///
/// What is wrong with it.
pub fn read(path: &Path) -> Result<Vec<Row>, csv::Error> {
    let mut rows: Vec<Row> = Vec::new();
    for line in csv::Reader::from_path(path)?.into_deserialize() {
        let line: Line = line?;
        let Some(point) = Point::parse(&line.program) else {
            continue;
        };
        rows.push(Row {
            kernel: line.kernel,
            point,
            before: line.before_us,
            after: line.after_us,
            is_right: line.difference <= ROUNDING,
        });
    }
    let usual = as_they_are(&rows);
    for row in &mut rows {
        let before = usual[&(row.kernel.clone(), row.point.shape())];
        row.after *= before / row.before;
        row.before = before;
    }
    Ok(rows)
}

/// The median time of each kernel as it is, by its name and local size.
fn as_they_are(rows: &[Row]) -> BTreeMap<(String, String), f64> {
    let mut all: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for row in rows {
        let of = (row.kernel.clone(), row.point.shape());
        all.entry(of).or_default().push(row.before);
    }
    let medians = all.into_iter().map(|(of, mut times)| {
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        (of, median)
    });
    medians.collect()
}

/// How long a kernel takes at best, in microseconds.
struct Best {
    /// As it is, in its author's work-groups.
    own: f64,
    /// As it is, in the best work-groups.
    plain: f64,
    /// The best of those that are coarsened only, and its name.
    coarsened: (f64, String),
    /// Of those that are vectors only.
    vectors: (f64, String),
    /// Of all.
    all: (f64, String),
}

fn best(entry: &Entry, rows: &[Row]) -> Option<Best> {
    let as_it_is = rows.iter().map(|row| (row.point.shape(), row.before));
    let as_it_is: BTreeMap<String, f64> = as_it_is.collect();
    let (shape, plain) = as_it_is.iter().min_by(|a, b| a.1.total_cmp(b.1))?;
    let author = entry.local.as_deref().map(space::shape);
    let least = |is_meant: &dyn Fn(&Point) -> bool| {
        let rows = rows
            .iter()
            .filter(|row| row.is_right && is_meant(&row.point));
        let best = rows.min_by(|a, b| a.after.total_cmp(&b.after));
        let best = best.filter(|row| row.after < *plain);
        best.map_or_else(
            || (*plain, format!("as it is, {shape}")),
            |row| (row.after, row.point.name()),
        )
    };
    Some(Best {
        own: *author
            .and_then(|shape| as_it_is.get(&shape))
            .unwrap_or(plain),
        plain: *plain,
        coarsened: least(&|point| point.lanes == 1 && point.coarsen.is_some() && !point.unrolled),
        vectors: least(&|point| point.lanes > 1 && point.coarsen.is_none() && !point.unrolled),
        all: least(&|point| !point.is_plain()),
    })
}

/// A line for each kernel: the gain of the best work-groups over the author's, then what coarsening, vectors and both
/// gain over that, and all over the author's; and the geometric means.
pub fn table(entries: &[Entry], rows: &[Row]) -> String {
    let mut text = String::from(
        "kernel                 us    groups  coarsened  vectors  both   all  variants  wrong  best\n",
    );
    let mut gains: [Vec<f64>; 5] = Default::default();
    for entry in entries {
        let own: Vec<Row> = rows
            .iter()
            .filter(|row| row.kernel == entry.kernel)
            .cloned()
            .collect();
        let Some(best) = best(entry, &own) else {
            continue;
        };
        let columns = [
            best.own / best.plain,
            best.plain / best.coarsened.0,
            best.plain / best.vectors.0,
            best.plain / best.all.0,
            best.own / best.all.0,
        ];
        for (all, gain) in gains.iter_mut().zip(columns) {
            all.push(gain);
        }
        let wrong = own.iter().filter(|row| !row.is_right).count();
        let [groups, coarsened, vectors, both, all] = columns;
        let _ = writeln!(
            text,
            "{:20} {:8.1} {groups:6.2} {coarsened:9.2} {vectors:9.2} {both:6.2} {all:6.2} {:8} {wrong:6}  {}",
            entry.kernel,
            best.own,
            own.len(),
            best.all.1
        );
        for (what, (_, name)) in [("coarsened", &best.coarsened), ("vectors", &best.vectors)] {
            let _ = writeln!(text, "    {what}: {name}");
        }
    }
    let means = gains.map(|all| format!("{:.2}", geometric_mean(all.into_iter())));
    let [groups, coarsened, vectors, both, all] = means;
    let _ = writeln!(
        text,
        "geometric means: groups {groups}, coarsened {coarsened}, vectors {vectors}, both {both}, all {all}"
    );
    text
}
