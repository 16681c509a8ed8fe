//! The constants of a device that no manual states, fitted to all programs but one, which is then judged.

use std::collections::BTreeSet;

use fpgacc_gpu_model::device::{Cores, Device, Units};

use super::judge::{Case, Judgement};

/// Each program's kernels, judged with the constants that suit all others best; and these constants.
pub fn leave_one_out(cases: &[Case], device: &Device) -> Vec<(String, Vec<Judgement>)> {
    let devices = variants(device);
    let judged: Vec<Vec<Option<Judgement>>> = devices
        .iter()
        .map(|device| cases.iter().map(|case| case.judge(device)).collect())
        .collect();
    let programs: BTreeSet<&str> = cases.iter().map(|case| case.program.as_str()).collect();
    let left_out = programs.into_iter().filter_map(|program| {
        let is_own = |at: usize| cases[at].program == program;
        let score = |all: &[Option<Judgement>]| {
            let others = all.iter().enumerate().filter(|(at, _)| !is_own(*at));
            let near = others.filter_map(|(_, one)| Some(one.as_ref()?.chosen.2.ln()));
            near.sum::<f64>()
        };
        let best = judged
            .iter()
            .enumerate()
            .max_by(|a, b| score(a.1).total_cmp(&score(b.1)));
        let (at, all) = best?;
        let own = all.iter().enumerate().filter(|(at, _)| is_own(*at));
        let own = own.filter_map(|(_, one)| one.clone()).collect();
        Some((format!("{program}: {}", constants(&devices[at])), own))
    });
    left_out.collect()
}

/// The device with all combinations of constants.
fn variants(device: &Device) -> Vec<Device> {
    if let Some(units) = &device.units {
        return of_units(units)
            .map(|units| Device {
                units: Some(units),
                ..device.clone()
            })
            .collect();
    }
    let cores = device.cores.iter().flat_map(of_cores);
    cores
        .map(|cores| Device {
            cores: Some(cores),
            ..device.clone()
        })
        .collect()
}

fn of_units(units: &Units) -> impl Iterator<Item = Units> {
    let all = combinations([
        [1.0, 2.0, 4.0],
        [1.0, 2.0, 3.0],
        [300.0, 600.0, 900.0],
        [250.0, 500.0, 1000.0],
    ]);
    all.map(
        |[access_cycles, line_wait_cycles, miss_cycles, group_cycles]| Units {
            access_cycles,
            line_wait_cycles: Some(line_wait_cycles),
            miss_cycles,
            group_cycles,
            ..units.clone()
        },
    )
}

fn of_cores(cores: &Cores) -> impl Iterator<Item = Cores> {
    let all = combinations([
        [5.5, 8.0, 11.0],
        [1.0, 2.0, 4.0],
        [0.18, 0.25, 0.35],
        [1.0, 2.0, 4.0],
        cores.row_wait_ns.map_or([0.0; 3], |_| [4.0, 8.0, 16.0]),
    ]);
    all.map(|[start, gather, operation, repeated, row_wait]| Cores {
        start_ns: start,
        gather_operations: gather,
        operation_cycles: operation,
        repeated_operations: repeated,
        row_wait_ns: cores.row_wait_ns.map(|_| row_wait),
        ..cores.clone()
    })
}

/// Each of three values of some constants with each of the others.
fn combinations<const N: usize>(values: [[f64; 3]; N]) -> impl Iterator<Item = [f64; N]> {
    let count = N as u32;
    (0..3usize.pow(count)).map(move |number| {
        std::array::from_fn(|at| values[at][number / 3usize.pow(count - 1 - at as u32) % 3])
    })
}

fn constants(device: &Device) -> String {
    if let Some(units) = &device.units {
        return format!(
            "access {}, line {}, miss {}, group {} cycles",
            units.access_cycles,
            units.line_wait_cycles.unwrap_or(0.0),
            units.miss_cycles,
            units.group_cycles
        );
    }
    device.cores.as_ref().map_or_else(String::new, |cores| {
        format!(
            "start {} ns, gather {} and repeated {} operations, operation {} cycles, row {} ns",
            cores.start_ns,
            cores.gather_operations,
            cores.repeated_operations,
            cores.operation_cycles,
            cores.row_wait_ns.unwrap_or(0.0)
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{combinations, variants};
    use crate::geometry::device;

    #[test]
    fn each_value_meets_each_other() {
        let all: Vec<[f64; 2]> = combinations([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).collect();
        assert_eq!(all.len(), 9);
        assert_eq!(
            (all[0], all[1], all[8]),
            ([1.0, 4.0], [1.0, 5.0], [3.0, 6.0])
        );
    }

    #[test]
    fn constants_of_gpus_and_of_cores_are_fitted() {
        for (name, count) in [("h200", 81), ("pocl", 81), ("pocl-zen4", 243)] {
            let device = device::find(name).expect("a device");
            let all = variants(&device);
            let different: BTreeSet<String> = all.iter().map(super::constants).collect();
            assert_eq!(different.len(), count, "{name}");
        }
    }
}
