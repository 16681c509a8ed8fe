//! Launches that exchange two buffers, as the runtime makes one of several.

use fpgacc_runtime::contract::Steps;

use crate::job::{Arg, Launch};

/// Launches of rewritten kernels, of which some follow each other with two buffers exchanged; `steps` says of a
/// kernel how many it does at once. Its last argument is how many.
pub fn merged(launches: &[Launch], steps: impl Fn(&str) -> Option<Steps>) -> Vec<Launch> {
    let mut merged = Vec::new();
    let mut rest = launches;
    while let Some(first) = rest.first() {
        let Some(steps) = steps(&first.kernel) else {
            merged.push(first.clone());
            rest = &rest[1..];
            continue;
        };
        let next = rest
            .windows(2)
            .take_while(|pair| exchange(&pair[0], &pair[1], steps));
        let mut row = &rest[..1 + next.count()];
        rest = &rest[row.len()..];
        while let Some(first) = row.first() {
            let count = steps.at_once(row.len() as u64);
            let mut launch = first.clone();
            if let Some(last) = launch.args.last_mut() {
                *last = Arg::int(count as i32);
            }
            merged.push(launch);
            row = &row[count as usize..];
        }
    }
    merged
}

/// Whether a launch does what another does, with the two buffers exchanged.
fn exchange(one: &Launch, other: &Launch, steps: Steps) -> bool {
    let (from, to) = (steps.from as usize, steps.to as usize);
    let mut exchanged = one.clone();
    exchanged.args.swap(from, to);
    exchanged == *other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Geometry;

    fn launches(count: usize) -> Vec<Launch> {
        let launch = |at: usize| Launch {
            kernel: "k".to_string(),
            geometry: Geometry::Task,
            args: vec![Arg::Buffer(at % 2), Arg::Buffer((at + 1) % 2), Arg::int(1)],
        };
        (0..count).map(launch).collect()
    }

    fn counts(launches: &[Launch]) -> Vec<Arg> {
        let steps = Steps {
            most: 3,
            from: 0,
            to: 1,
            writes_both: false,
        };
        let merged = merged(launches, |_| Some(steps));
        merged
            .iter()
            .filter_map(|launch| launch.args.last().cloned())
            .collect()
    }

    #[test]
    fn the_last_launch_is_one_by_itself() {
        assert_eq!(counts(&launches(3)), [1, 1, 1].map(Arg::int));
        assert_eq!(counts(&launches(4)), [3, 1].map(Arg::int));
        assert_eq!(counts(&launches(8)), [3, 3, 1, 1].map(Arg::int));
    }

    #[test]
    fn launches_that_exchange_nothing_stay() {
        let same = [&launches(1)[..], &launches(1)[..]].concat();
        assert_eq!(counts(&same), [1, 1].map(Arg::int));
    }
}
