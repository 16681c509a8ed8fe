//! What runs showed of a kernel, as `check` asks for it.

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_launch_facts::Facts;
use fpgacc_launch_facts::recorded::{RecordedAccess, RecordedWays};

use crate::device::Device;
use crate::lanes::observed::BranchKind;

/// What runs showed of a kernel's accesses and branches.
#[derive(Clone, Default)]
pub struct Seen<'a> {
    sources: Option<&'a SourceMap>,
    accesses: Vec<&'a RecordedAccess>,
    ways: Vec<&'a RecordedWays>,
}

/// An access. Totals are of one launch, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenAccess {
    /// How often a warp executed it.
    pub warps: f64,
    /// Lanes that took part.
    pub lanes: f64,
    /// Sectors that were moved; turns of local memory.
    pub sectors: f64,
    /// Those that would do.
    pub ideal: f64,
}

/// A branch or loop. Shares, but for `warps`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenBranch {
    /// How often a warp came there in a launch.
    pub warps: f64,
    /// Of these, those with lanes that went different ways.
    pub diverged: f64,
    /// Evaluations each time; of a loop, iterations.
    pub rounds: f64,
    /// Lanes of a warp that wait while others do what it guards, and while they do the other.
    pub idle: [f64; 2],
}

impl SeenBranch {
    /// How often a warp does what it guards, and the other: both where lanes go different ways; warps whose lanes go one
    /// way are taken to go as the lanes of the others do.
    pub fn taken(&self) -> [f64; 2] {
        let lanes = self.idle[0] + self.idle[1];
        let yes = if lanes > 0.0 {
            self.idle[1] / lanes
        } else {
            0.5
        };
        [yes, 1.0 - yes].map(|part| self.diverged + (1.0 - self.diverged) * part)
    }
}

impl<'a> Seen<'a> {
    /// What recorded facts have of a kernel, for this device.
    pub fn of(
        facts: impl IntoIterator<Item = &'a Facts>,
        kernel: &str,
        device: &Device,
        sources: &'a SourceMap,
    ) -> Self {
        let mut seen = Seen {
            sources: Some(sources),
            ..Seen::default()
        };
        let programs = facts.into_iter().flat_map(|facts| &facts.programs);
        for recorded in programs.filter_map(|program| program.recorded.as_ref()) {
            let accesses = recorded.accesses.iter().filter(|one| {
                one.kernel == kernel
                    && one.warp == device.warp
                    && (one.local || one.sector == device.sector_bytes)
            });
            seen.accesses.extend(accesses);
            let ways = recorded.ways.iter();
            seen.ways
                .extend(ways.filter(|one| one.kernel == kernel && one.warp == device.warp));
        }
        seen
    }

    /// What was seen of the access at a position.
    pub fn access(&self, span: Span, write: bool) -> Option<SeenAccess> {
        let at = self.sources?.location(span);
        let is_meant =
            |one: &&&RecordedAccess| one.write == write && one.site.is_same_position(&at);
        let mut launches = 0;
        let mut all = SeenAccess::default();
        for one in self.accesses.iter().filter(is_meant) {
            launches += one.launches;
            all.warps += one.warps as f64;
            all.lanes += one.lanes as f64;
            all.sectors += one.sectors as f64;
            all.ideal += one.ideal as f64;
        }
        let numbers = [
            &mut all.warps,
            &mut all.lanes,
            &mut all.sectors,
            &mut all.ideal,
        ];
        numbers
            .into_iter()
            .for_each(|number| *number /= launches as f64);
        (launches > 0).then_some(all)
    }

    /// What was seen of the branch or loop whose condition stands at a position.
    pub fn branch(&self, span: Span, kind: BranchKind) -> Option<SeenBranch> {
        let at = self.sources?.location(span);
        let is_short = kind == BranchKind::ShortCircuit;
        let mut own = self
            .ways
            .iter()
            .filter(|one| one.short_circuit == is_short && one.site.is_same_position(&at));
        let first = *own.next()?;
        let sum = own.fold(first.clone(), |mut sum, one| {
            sum.add(one);
            sum
        });
        let warps = sum.warps.max(1) as f64;
        let lanes = sum.rounds.max(1) as f64 * f64::from(sum.warp.max(1));
        Some(SeenBranch {
            warps: sum.warps as f64 / sum.launches.max(1) as f64,
            diverged: sum.diverged as f64 / warps,
            rounds: sum.rounds as f64 / warps,
            idle: sum.idle.map(|idle| idle as f64 / lanes),
        })
    }
}
