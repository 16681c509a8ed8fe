//! The constants of a device that no manual states, fitted to all programs but one, which is then judged.

use std::collections::BTreeSet;

use fpgacc_gpu_model::device::{Device, Units};

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
    let mut all = Vec::new();
    for access_cycles in [1.0, 2.0, 4.0] {
        for line_wait_cycles in [1.0, 2.0, 3.0] {
            for miss_cycles in [300.0, 600.0, 900.0] {
                for group_cycles in [250.0, 500.0, 1000.0] {
                    let mut variant = device.clone();
                    variant.units = variant.units.map(|units| Units {
                        access_cycles,
                        line_wait_cycles: Some(line_wait_cycles),
                        miss_cycles,
                        group_cycles,
                        ..units
                    });
                    all.push(variant);
                }
            }
        }
    }
    all
}

fn constants(device: &Device) -> String {
    device.units.as_ref().map_or_else(String::new, |units| {
        format!(
            "access {}, line {}, miss {}, group {} cycles",
            units.access_cycles,
            units.line_wait_cycles.unwrap_or(0.0),
            units.miss_cycles,
            units.group_cycles
        )
    })
}
