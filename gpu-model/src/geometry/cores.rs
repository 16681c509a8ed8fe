//! The time of a launch on a CPU, where each core runs one group after the other, and each group is a loop over
//! its work-items: what PoCL makes of kernels. Rows of the first dimension become vectors where the kernel has no
//! loops of its own, since compilers make vectors of innermost loops.

use crate::device::{Cores, Device};
use crate::profile::{Access, FIRST_LOOP, POINTS, Profile};

use super::model::{self, Limit, Prediction};
use super::shape::Shape;

/// Elements of structures that compilers load together and shuffle.
const INTERLEAVED: i64 = 4;

/// A kernel on a CPU, and a launch of it.
pub struct Kernel<'a> {
    cores: &'a Cores,
    profile: &'a Profile,
    global: [u64; 3],
    /// Instructions of a work-item.
    operations: f64,
    /// It has no loops: its work-items are the innermost one.
    has_vectors: bool,
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
            has_vectors: profile.scopes.iter().all(|scope| scope.depth == 0),
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
        let start = match self.is_plane() {
            true => cores.plane_start_ns,
            false => cores.line_start_ns,
        };
        // A loop of one iteration is none: the next one is the innermost.
        let inner = (0..3).find(|dim| shape.0[*dim] > 1).unwrap_or(0);
        let row = shape.0[inner];
        let rows = (shape.items() / row) as f64;
        let instructions =
            rows * (cores.row_cycles + self.row(inner, row as f64) * cores.operation_cycles);
        let lines = self.lines(shape);
        let memory = match self.footprint > cores.cache_bytes as f64 {
            true => self.footprint / (cores.memory_gb_per_s * 1e9),
            false => 0.0,
        };
        let parts = [
            of_core * start * 1e-9,
            of_core * instructions * cycle,
            of_core * lines * cores.line_cycles * cycle,
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
            warps: match self.has_vectors {
                true => row.min(u64::from(cores.lanes)) as f64,
                false => 1.0,
            },
            sectors: lines / shape.items() as f64,
        }
    }

    fn is_plane(&self) -> bool {
        self.global[1] * self.global[2] > 1
    }

    /// Instructions of a row of work-items along a dimension: whole vectors, and what is left one by one.
    fn row(&self, dim: usize, length: f64) -> f64 {
        let lanes = f64::from(self.cores.lanes);
        if !self.has_vectors {
            return length * self.operations;
        }
        let vectors = (length / lanes).floor();
        let left = length - vectors * lanes;
        let vector = self.operations + self.scattered(dim) * lanes * self.cores.scatter_operations;
        (vectors * self.slowness(length)) * vector + left * self.operations
    }

    /// Accesses of a work-item whose neighbour along a dimension is not beside it.
    fn scattered(&self, dim: usize) -> f64 {
        let accesses = self.profile.accesses.iter();
        let scattered = accesses.filter(|access| {
            let bytes = i64::from(access.bytes);
            access
                .stride(1 + dim)
                .is_none_or(|by| by.abs() > INTERLEAVED * bytes)
        });
        scattered.map(|access| access.share).sum()
    }

    /// How much rows lose that are longer than what compilers unroll wholly.
    fn slowness(&self, length: f64) -> f64 {
        let (longest, slowness) = match self.is_plane() {
            true => (self.cores.longest_row, self.cores.long_row_slowness),
            false => (self.cores.longest_line, self.cores.long_line_slowness),
        };
        match length > f64::from(longest) {
            true => slowness,
            false => 1.0,
        }
    }

    /// Lines that a group brings into its core's cache, but for those that follow each other.
    fn lines(&self, shape: Shape) -> f64 {
        let line = i64::from(self.cores.line_bytes);
        let accesses = self.profile.accesses.iter();
        // What follows is fetched ahead.
        let apart = accesses.filter(|access| access.stride(1).is_none_or(|by| by.abs() >= line));
        apart.map(|access| self.lines_of(access, shape)).sum()
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
