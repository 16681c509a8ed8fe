//! What warps did, from the logs of kernels (`fpgacc trace --accesses`).

use std::collections::BTreeMap;
use std::path::Path;

use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::lanes::observed::Access;
use fpgacc_gpu_model::recorded::{Kind, Note, Totals, WaysTotals, fold};
use fpgacc_launch_facts::recorded::{RecordedAccess, RecordedWays};

use super::instrument::{self, Noted, NotedWhat};
use super::widen;

/// Devices whose warps are made of the work-items that ran: all widths that there are.
const DEVICES: [&str; 2] = ["warp32", "wave64"];

/// What the log of a program says. `kernels`: those of the launches in it, by number.
pub fn seen(base: &Path, kernels: &[String]) -> (Vec<RecordedAccess>, Vec<RecordedWays>) {
    let (noted, log) = instrument::log_of(base);
    let mut notes = Note::all(&log);
    let kinds: BTreeMap<u32, Kind> = noted
        .iter()
        .map(|one| (one.number, kind(one.what)))
        .collect();
    let (mut accesses, mut ways) = (Vec::new(), Vec::new());
    for device in DEVICES.map(|name| Device::named(name).expect("it is built in")) {
        let mut launches: BTreeMap<&String, u64> = BTreeMap::new();
        for (launch, totals) in fold(&mut notes, &kinds, &device) {
            let Some(kernel) = kernels.get(launch as usize) else {
                continue;
            };
            *launches.entry(kernel).or_default() += 1;
            let facts = Facts {
                kernel,
                device: &device,
            };
            widen::add_accesses(&mut accesses, facts.accesses(&noted, &totals));
            widen::add_ways(&mut ways, facts.ways(&noted, &totals));
        }
        let of = |kernel: &String| launches.get(kernel).copied().unwrap_or_default();
        accesses
            .iter_mut()
            .for_each(|one| one.launches = of(&one.kernel));
        ways.iter_mut()
            .for_each(|one| one.launches = of(&one.kernel));
    }
    (accesses, ways)
}

fn kind(what: NotedWhat) -> Kind {
    match what {
        NotedWhat::Access {
            is_local,
            offset,
            bytes,
            ..
        } => Kind::Access {
            is_local,
            offset,
            bytes,
        },
        NotedWhat::Branch | NotedWhat::ShortCircuit => Kind::Branch,
        NotedWhat::Loop => Kind::Loop,
    }
}

/// Makes facts of what a launch did.
struct Facts<'a> {
    kernel: &'a str,
    device: &'a Device,
}

impl Facts<'_> {
    fn accesses(&self, noted: &[Noted], totals: &Totals) -> Vec<RecordedAccess> {
        let mut all = Vec::new();
        for one in noted {
            let NotedWhat::Access {
                reads,
                writes,
                is_local,
                ..
            } = one.what
            else {
                continue;
            };
            let Some(access) = totals.accesses.get(&one.number) else {
                continue;
            };
            let kinds = [(reads, false), (writes, true)];
            for (_, write) in kinds.into_iter().filter(|(is_done, _)| *is_done) {
                all.push(self.access(one, access, is_local, write));
            }
        }
        all
    }

    fn access(&self, noted: &Noted, access: &Access, local: bool, write: bool) -> RecordedAccess {
        let whole = |number: f64| number.round() as u64;
        let (sector, sectors, ideal) = match local {
            true => (
                self.device.local_bank_bytes,
                access.passes + access.turns,
                access.passes,
            ),
            false => (self.device.sector_bytes, access.sectors, access.ideal),
        };
        RecordedAccess {
            site: noted.at.clone(),
            kernel: self.kernel.to_string(),
            write,
            local,
            warp: self.device.warp,
            sector,
            launches: 0,
            warps: whole(access.warps),
            lanes: whole(access.lanes),
            sectors: whole(sectors),
            ideal: whole(ideal),
        }
    }

    fn ways(&self, noted: &[Noted], totals: &Totals) -> Vec<RecordedWays> {
        let of = |one: &Noted| Some(self.way(one, totals.ways.get(&one.number)?));
        noted.iter().filter_map(of).collect()
    }

    fn way(&self, noted: &Noted, ways: &WaysTotals) -> RecordedWays {
        let whole = |number: f64| number.round() as u64;
        RecordedWays {
            site: noted.at.clone(),
            short_circuit: matches!(noted.what, NotedWhat::ShortCircuit),
            kernel: self.kernel.to_string(),
            warp: self.device.warp,
            launches: 0,
            warps: whole(ways.warps),
            diverged: whole(ways.diverged),
            rounds: whole(ways.rounds),
            idle: ways.idle.map(whole),
        }
    }
}
