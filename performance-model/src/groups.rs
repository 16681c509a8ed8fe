//! Cycles of an NDRange: how work-items and work-groups share a pipeline.

use std::collections::BTreeMap;

use super::board::MemoryUnits;
use super::copies::without_more_blocks;
use super::graph::{Access, ArrayId, Graph, MemoryKind, RegionId};
use super::launch::LaunchShape;
use super::timing::Timing;

/// A pipeline through which work-items flow.
pub struct WorkItems<'a> {
    /// The kernel.
    pub graph: &'a Graph,
    /// Of each region, for one work-item.
    pub timings: &'a [Timing],
    /// Of each region, what an iteration waits for its stores.
    pub acknowledged: &'a [f64],
    /// The family's memory units.
    pub units: &'a MemoryUnits,
    /// Work-items side by side.
    pub simd: f64,
    /// Work-items diverge at a loop: their trip counts may differ, or some skip it.
    pub parts: bool,
}

impl WorkItems<'_> {
    /// Cycles of a launch on so many compute units.
    ///
    /// The busiest loop, or the body, starts an iteration of some work-item a cycle: work-groups follow
    /// each other without a gap. Not so where loops with barriers are: each barrier waits until the last of its group's
    /// work-items has come through, what stands in a row adds up, and so many groups are in the pipeline as
    /// there are copies of their arrays; of kernels that are built for groups of any size one. Nor in a loop at which work-items diverge in
    /// front of a barrier: it lets one group in at a time, so that groups get to the barrier one after another.
    pub fn cycles(&self, launch: &LaunchShape, compute_units: f64, is_sized: bool) -> f64 {
        let items: f64 = (0..3).map(|dim| launch.sizes(dim).0).product();
        let local: f64 = (0..3).map(|dim| launch.sizes(dim).1).product();
        let groups = (items / local).max(1.0).ceil();
        let used = (groups / self.units.groups_in_flight).ceil();
        let own = (groups / used.clamp(1.0, compute_units)).ceil();
        let items = own * local;
        // Few work-items do not fill the pipeline: a work-item's own iterations do not overlap.
        let cycles = (items * self.busiest() + self.body(0))
            .max(self.alone(0))
            .max(own * self.in_turn(local));
        if !self.loops_meet() {
            return cycles;
        }
        let at_a_time = match is_sized {
            true => without_more_blocks(self.graph, self.simd).max(self.units.groups_in_flight),
            false => 1.0,
        };
        cycles.max(own * self.group(0, local / self.simd) / at_a_time)
    }

    /// Cycles between work-items that the busiest region needs.
    fn busiest(&self) -> f64 {
        let busy = |(region, timing): (usize, &Timing)| {
            let each = timing.ports.max(self.atomics(region));
            self.graph.executions(region) / self.simd * each
        };
        self.timings
            .iter()
            .enumerate()
            .map(busy)
            .fold(0.0, f64::max)
    }

    /// Cycles that the atomic operations on on-chip memory in an iteration take: those on one array take turns, and each array
    /// is a memory of its own (Best Practices Guide, "Local Memory").
    fn atomics(&self, region: RegionId) -> f64 {
        let is_on_chip = |a: &&Access| self.graph.arrays[a.array].memory == MemoryKind::OnChip;
        let accesses = self.graph.accesses.iter();
        let atomic = accesses.filter(|a| a.region == region && a.is_atomic);
        let mut by_array: BTreeMap<ArrayId, f64> = BTreeMap::new();
        for access in atomic.filter(is_on_chip) {
            *by_array.entry(access.array).or_default() += access.share;
        }
        let busiest = by_array.into_values().fold(0.0, f64::max);
        busiest * self.units.local_atomic_interval * self.simd
    }

    /// Whether work-items meet at barriers in loops.
    fn loops_meet(&self) -> bool {
        let mut loops = self.graph.regions[0].loops.iter();
        loops.any(|at| self.has_barriers(*at))
    }

    /// Cycles of a group in the longest loop that lets in one group at a time.
    fn in_turn(&self, items: f64) -> f64 {
        let regions = &self.graph.regions;
        let loops = regions[0].loops.iter();
        let plain =
            loops.filter(|at| self.parts && regions[**at].meets && !self.has_barriers(**at));
        plain
            .map(|at| self.of_those_who_enter(*at, items * regions[*at].share))
            .fold(0.0, f64::max)
    }

    /// Cycles of the work-items of a group that enter a loop, so many on average: if there are few of them, or only one,
    /// their own iterations fill the time of the group.
    fn of_those_who_enter(&self, region: RegionId, items: f64) -> f64 {
        let flow = items / self.simd * self.iterations(region);
        self.alone(region).max(flow) * items.min(1.0)
    }

    fn has_barriers(&self, region: RegionId) -> bool {
        let regions = self.graph.regions.iter().enumerate();
        let mut inside = regions.filter(|(at, _)| self.graph.is_within(*at, region));
        inside.any(|(_, region)| region.barriers > 0)
    }

    /// Cycles of a group of so many items (side by side counted once) from one entry of a region to its
    /// end, alone in the pipeline: each barrier empties the pipeline and fills it again.
    fn group(&self, region: RegionId, items: f64) -> f64 {
        if !self.has_barriers(region) {
            return self.alone(region).max(items * self.iterations(region));
        }
        let own = &self.graph.regions[region];
        let inside = |at: &RegionId| self.group(*at, items) * self.graph.regions[*at].share;
        let loops: f64 = own.loops.iter().map(inside).sum();
        let fills = items * own.barriers.max(1) as f64;
        self.trips(region) * (self.body(region) + fills + loops)
    }

    /// Cycles of the work-item that has the most to do: its own iterations do not overlap.
    fn alone(&self, region: RegionId) -> f64 {
        let loops = self.graph.regions[region].loops.iter();
        let inside = loops.map(|at| self.alone(*at) * self.graph.regions[*at].share);
        let own = self.body(region) + self.acknowledged[region];
        self.most_trips(region) * (own + inside.sum::<f64>())
    }

    /// How often a work-item passes the loop that it passes most often, in one entry of a region, on average.
    fn iterations(&self, region: RegionId) -> f64 {
        let loops = self.graph.regions[region].loops.iter();
        let inside = loops.map(|at| self.iterations(*at) * self.graph.regions[*at].share);
        self.trips(region) * inside.fold(1.0, f64::max)
    }

    fn trips(&self, region: RegionId) -> f64 {
        match region {
            0 => 1.0,
            region => self.graph.trips(region),
        }
    }

    fn most_trips(&self, region: RegionId) -> f64 {
        match region {
            0 => 1.0,
            region => self.graph.most_trips(region),
        }
    }

    /// The latency of an iteration without the loops inside.
    fn body(&self, region: RegionId) -> f64 {
        let inside = |at: &RegionId| self.timings[*at].total * self.graph.regions[*at].share;
        let loops: f64 = self.graph.regions[region].loops.iter().map(inside).sum();
        (self.timings[region].latency - loops).max(0.0)
    }
}
