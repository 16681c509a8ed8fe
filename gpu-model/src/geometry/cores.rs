//! The time of a launch on a CPU, where each core runs one group after the other, and each group is a loop over
//! its work-items: what PoCL makes of kernels.

use std::collections::{BTreeMap, BTreeSet};

use crate::device::{Cores, Device};
use crate::profile::{Access, FIRST_LOOP, POINTS, Profile, Root};

use super::model::{self, Limit, Prediction};
use super::shape::Shape;
use super::vectors::{self, Rows};
use super::walk::Walk;

/// Elements of structures that compilers load together and shuffle: a guess.
const INTERLEAVED: i64 = 4;

/// Operations of an iteration of a loop beside its body: a guess.
const LOOP_OPERATIONS: f64 = 1.5;

/// Operations of a work-item behind a barrier to load what it had before, and to store what it needs behind the next: a guess.
const CONTEXT_OPERATIONS: f64 = 6.0;

/// Lines of a set of a cache, by buffer and number, and how often each is read.
type OfSet = BTreeMap<(Option<Root>, i64), f64>;

/// A kernel on a CPU, and a launch of it.
pub struct Kernel<'a> {
    cores: &'a Cores,
    profile: &'a Profile,
    global: [u64; 3],
    /// Instructions of a work-item.
    operations: f64,
    /// Bytes of memory that the launch touches, whatever the shape.
    footprint: f64,
    /// Accesses whose lines do not follow each other: those that do are fetched ahead.
    apart: Vec<&'a Access>,
    /// See [`evicted`].
    evicted: f64,
}

impl<'a> Kernel<'a> {
    /// Of a launch.
    pub fn new(device: &Device, cores: &'a Cores, profile: &'a Profile, global: [u64; 3]) -> Self {
        Kernel {
            cores,
            profile,
            global,
            operations: operations(cores, profile),
            footprint: model::footprint(device, profile, global),
            apart: apart_of(cores, profile),
            evicted: evicted(cores, profile),
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
        let regions = self.profile.barriers * self.region(&rows);
        let instructions = count_of_rows * (self.row(&rows) + regions);
        let apart = self.apart.iter();
        let lines: f64 = apart.fold(0.0, |sum, access| sum + self.lines_of(access, shape));
        let lines = lines + self.evicted * shape.items() as f64;
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

    /// Cycles of a row of work-items for the code behind a barrier, which is a loop over them of its own: it takes up what
    /// each of them had before.
    fn region(&self, rows: &Rows) -> f64 {
        let items = (rows.length * rows.copies) as f64;
        let work = items * (LOOP_OPERATIONS + CONTEXT_OPERATIONS);
        self.cores.row_cycles + work * self.cores.operation_cycles
    }

    /// Operations of a row's whole vectors, and of what is left one by one.
    fn vectors(&self, rows: &Rows) -> f64 {
        let cores = self.cores;
        let count = (rows.length / rows.lanes) as f64;
        let left = (rows.length % rows.lanes) as f64;
        let gathers = rows.lanes as f64 * cores.gather_operations;
        let scopes = self.profile.scopes.iter();
        let serial: f64 = scopes.map(|scope| scope.runs * scope.serial).sum();
        let serial = serial * (rows.lanes - 1) as f64;
        let often = self.operations + serial + gathers * apart(&self.profile.accesses, rows.dim);
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

    /// Lines of an access that a group brings into its core's cache.
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

/// Accesses whose lines do not follow each other, one for each line of copies beside each other.
fn apart_of<'p>(cores: &Cores, profile: &'p Profile) -> Vec<&'p Access> {
    let line = i64::from(cores.line_bytes);
    let mut walks: BTreeMap<Walk, BTreeMap<i64, &Access>> = BTreeMap::new();
    let mut apart = Vec::new();
    for access in &profile.accesses {
        match access.at {
            Some(at) => {
                let of_walk = walks.entry(Walk::of(access)).or_default();
                of_walk.entry(at[0].div_euclid(line)).or_insert(access);
            }
            None => apart.push(access),
        }
    }
    let is_apart = |walk: &Walk, lines: usize| {
        let step = walk.strides[1].abs();
        step >= line && (lines as i64) * line < step
    };
    for (walk, touched) in walks {
        if is_apart(&walk, touched.len()) {
            apart.extend(touched.into_values());
        }
    }
    apart
}

/// Lines that a work-item comes back to in the next iterations of its loops and does not find, since more of them fall into one
/// set of the first cache than that holds: so do rows that are a power of two apart.
fn evicted(cores: &Cores, profile: &Profile) -> f64 {
    let Some([sets, ways]) = cores.first_cache else {
        return 0.0;
    };
    let line = i64::from(cores.line_bytes);
    let mut held: BTreeMap<(usize, i64), OfSet> = BTreeMap::new();
    for access in &profile.accesses {
        let scope = &profile.scopes[access.scope];
        let point = FIRST_LOOP + scope.depth.saturating_sub(1);
        let step = (point < POINTS).then(|| access.stride(point)).flatten();
        let comes_back = step.is_some_and(|step| step != 0 && step.abs() < line);
        let (Some(at), true) = (access.at, comes_back && scope.depth > 0) else {
            continue;
        };
        let number = at[0].div_euclid(line);
        let of_set = held.entry((access.scope, number.rem_euclid(i64::from(sets))));
        let lines = of_set.or_default();
        lines.insert((access.root, number), scope.runs * access.share);
    }
    let full = held.values().filter(|set| set.len() > ways as usize);
    full.flat_map(OfSet::values).sum()
}

/// Instructions of a work-item, or what else could run while it waits for what each iteration of its loops takes over from
/// the one before. Work-items that follow are begun meanwhile, as far as a core looks ahead.
fn operations(cores: &Cores, profile: &Profile) -> f64 {
    let scopes = profile.scopes.iter();
    let each = scopes.map(|scope| scope.runs * scope.instructions(cores.vector_bytes));
    let all: f64 = each.sum();
    let scopes = profile.scopes.iter();
    let waits: f64 = scopes.map(|scope| scope.runs * scope.recurrence).sum();
    let at_a_time = (f64::from(cores.window.unwrap_or(1)) / all.max(1.0)).max(1.0);
    all.max(waits / at_a_time / cores.operation_cycles)
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
