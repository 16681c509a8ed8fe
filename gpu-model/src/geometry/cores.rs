//! The time of a launch on a CPU, where each core runs one group after the other, and each group is a loop over
//! its work-items: what PoCL makes of kernels.

use std::collections::BTreeSet;

use crate::device::{Cores, Device};
use crate::profile::{Access, FIRST_LOOP, POINTS, Profile};

use super::model::{self, Limit, Prediction};
use super::shape::Shape;
use super::vectors::{self, Rows};

/// Elements of structures that compilers load together and shuffle: a guess.
const INTERLEAVED: i64 = 4;

/// Operations of an iteration of a loop beside its body: a guess.
const LOOP_OPERATIONS: f64 = 1.5;

/// A kernel on a CPU, and a launch of it.
pub struct Kernel<'a> {
    cores: &'a Cores,
    profile: &'a Profile,
    global: [u64; 3],
    /// Instructions of a work-item.
    operations: f64,
    /// Bytes of memory that the launch touches, whatever the shape.
    footprint: f64,
}

impl<'a> Kernel<'a> {
    /// Of a launch.
    pub fn new(device: &Device, cores: &'a Cores, profile: &'a Profile, global: [u64; 3]) -> Self {
        let scopes = profile.scopes.iter();
        Kernel {
            cores,
            profile,
            global,
            operations: scopes.map(|scope| scope.runs * scope.operations).sum(),
            footprint: model::footprint(device, profile, global),
        }
    }

    /// What groups of a shape cost.
    pub fn predict(&self, shape: Shape) -> Prediction {
        let cores = self.cores;
        let groups = shape.groups(self.global) as f64;
        let count = f64::from(cores.count);
        // The core with the most groups ends last.
        let of_core = (groups / count).ceil();
        let cycle = 1e-9 / cores.clock_ghz;
        let rows = vectors::rows(cores, self.profile, shape);
        let count_of_rows = shape.items() as f64 / (rows.length * rows.copies) as f64;
        let instructions = count_of_rows * self.row(&rows);
        let lines = self.lines(shape);
        let memory = match self.footprint > cores.cache_bytes as f64 {
            true => self.footprint / (cores.memory_gb_per_s * 1e9),
            false => 0.0,
        };
        let waits = lines * cores.line_cycles * cycle
            + self.jumps(shape) * cores.row_wait_ns.unwrap_or(0.0) * 1e-9;
        let parts = [
            of_core * cores.start_ns * 1e-9,
            of_core * instructions * cycle,
            of_core * waits,
            0.0,
            memory,
            0.0,
        ];
        // Nothing but the memory works on its own.
        let busy: f64 = parts[..4].iter().sum();
        let largest = (0..6).max_by(|a, b| parts[*a].total_cmp(&parts[*b]));
        Prediction {
            seconds: cores.launch_us * 1e-6 + busy.max(parts[4]),
            limit: Limit::ALL[largest.unwrap_or(0)],
            parts,
            units: groups.min(count) as u64,
            warps: rows.lanes as f64,
            sectors: lines / shape.items() as f64,
        }
    }

    /// Cycles of a row of work-items.
    fn row(&self, rows: &Rows) -> f64 {
        let loops = rows.iterations as f64 * LOOP_OPERATIONS;
        let work = match rows.lanes {
            1 => (rows.length * rows.copies) as f64 * self.operations,
            _ => self.vectors(rows),
        };
        self.cores.row_cycles + (work + loops) * self.cores.operation_cycles
    }

    /// Operations of a row's whole vectors, and of what is left one by one.
    fn vectors(&self, rows: &Rows) -> f64 {
        let cores = self.cores;
        let count = (rows.length / rows.lanes) as f64;
        let left = (rows.length % rows.lanes) as f64;
        let gathers = rows.lanes as f64 * cores.gather_operations;
        let often = self.operations + gathers * apart(&self.profile.accesses, rows.dim);
        // Where each vector is a piece of code of its own, it is known which one such conditions may hold in.
        let conditions = if rows.iterations == 0 { 1.0 } else { count };
        let seldom = conditions * gathers * apart(&self.profile.seldom, rows.dim);
        let repeated = match rows.iterations == 0 && rows.is_repeated {
            true => 0.0,
            false => count * self.profile.code[1 << rows.dim] * cores.repeated_operations,
        };
        count * often + seldom + repeated + left * self.operations
    }

    /// How often a group goes on in another row of a buffer: never, where its rows are as long as those of the launch,
    /// and where it has one, since the next group goes on there.
    fn jumps(&self, shape: Shape) -> f64 {
        let [x, y, z] = shape.0;
        if x == self.global[0] || y * z == 1 {
            return 0.0;
        }
        let line = i64::from(self.cores.line_bytes);
        let follows = |access: &&Access| {
            let by = access.stride(1).unwrap_or(0).abs();
            by > 0 && by < line && (access.moves(2) || access.moves(3))
        };
        let accesses = self.profile.accesses.iter().filter(follows);
        let buffers: BTreeSet<_> = accesses.map(|access| access.root).collect();
        (buffers.len() as u64 * y * z) as f64
    }

    /// Lines that a group brings into its core's cache, but for those that follow each other.
    fn lines(&self, shape: Shape) -> f64 {
        let line = i64::from(self.cores.line_bytes);
        let accesses = self.profile.accesses.iter();
        // What follows is fetched ahead.
        let apart = accesses.filter(|access| access.stride(1).is_none_or(|by| by.abs() >= line));
        apart.fold(0.0, |sum, access| sum + self.lines_of(access, shape))
    }

    fn lines_of(&self, access: &Access, shape: Shape) -> f64 {
        let line = f64::from(self.cores.line_bytes);
        let scope = &self.profile.scopes[access.scope];
        let [x, y, z] = shape.0.map(|size| size as f64);
        if access.at.is_none() {
            return scope.runs * access.share * x * y * z;
        }
        let bytes = |point: usize| {
            let stride = (point < POINTS).then(|| access.stride(point)).flatten();
            stride.unwrap_or(0).unsigned_abs() as f64
        };
        // Groups that follow each other go on along the first dimension.
        let along_x = (bytes(1) / line).min(1.0) * x;
        let along = |point: usize, size: f64| match bytes(point) {
            0.0 => 1.0,
            stride => (size * (stride / line).min(1.0)).ceil(),
        };
        let group = along_x.max(line.recip()) * along(2, y) * along(3, z);
        let mut inside = 1.0;
        let mut at = access.scope;
        for depth in (0..scope.depth).rev() {
            let own = &self.profile.scopes[at];
            inside *= along(FIRST_LOOP + depth, own.trips.max(1.0));
            at = own.parent;
        }
        let lines = group * inside * access.share;
        let most = scope.runs * access.share * x * y * z;
        lines.min(most)
    }
}

/// Accesses of a vector that are made lane by lane: those that are not beside each other, and those of one place that
/// conditions keep from being made before.
fn apart(accesses: &[Access], dim: usize) -> f64 {
    let point = 1 + dim;
    let is_apart = |access: &&Access| match access.stride(point) {
        None => true,
        Some(0) => access.is_guarded(point),
        Some(by) => by.abs() > INTERLEAVED * i64::from(access.bytes),
    };
    let apart = accesses.iter().filter(is_apart);
    apart.map(|access| access.share).sum()
}
