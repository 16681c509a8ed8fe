//! The time of a launch with groups of a given shape: the largest of what limits a kernel, and a little of the
//! others, since they do not overlap perfectly.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::device::{Device, Units};
use crate::profile::{Access, FIRST_LOOP, Profile, Root};

use super::shape::Shape;
use super::walk::Walk;

// These, as the form of the model, were chosen with the measurements of docs/geometry.md in sight.
/// How sharply the largest limit stands out: the exponent of the norm over all of them.
const SHARPNESS: f64 = 4.0;
/// Reads of one iteration that are under way when those of the next start, where nothing is written.
const OVERLAP: f64 = 4.0;
/// How sharply a cache stops to help where what is held grows beyond it: a power.
const CLIFF: f64 = 4.0;

/// Bytes that an instruction reads or writes for a work-item at most: four registers (`ld.v4` of PTX).
const WIDEST: u32 = 16;

/// Registers of a work-item besides those for its variables: addresses, and what is computed on the way. A guess.
const OTHER_REGISTERS: f64 = 16.0;
/// Registers that a work-item can have (CUDA C++ Programming Guide, compute capabilities 5.0 to 9.0); others are spilled to
/// memory.
const MOST_REGISTERS: f64 = 255.0;

/// What limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The start of groups.
    Starts,
    /// Instructions.
    Issue,
    /// The lines that units' caches look up.
    Cache,
    /// What moves between units and the cache that they share.
    Shared,
    /// The memory.
    Memory,
    /// Waiting for results, with too few warps to do other things meanwhile.
    Latency,
}

impl Limit {
    /// All, in order.
    pub const ALL: [Limit; 6] = [
        Limit::Starts,
        Limit::Issue,
        Limit::Cache,
        Limit::Shared,
        Limit::Memory,
        Limit::Latency,
    ];

    /// In words.
    pub fn description(self) -> &'static str {
        match self {
            Limit::Starts => "the start of groups",
            Limit::Issue => "instructions",
            Limit::Cache => "lines of the units' caches",
            Limit::Shared => "the shared cache",
            Limit::Memory => "memory",
            Limit::Latency => "latency",
        }
    }
}

/// What a shape costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The time of the launch.
    pub seconds: f64,
    /// What limits it most.
    pub limit: Limit,
    /// The seconds of each limit, in the order of [`Limit`].
    pub parts: [f64; 6],
    /// Units that have a group.
    pub units: u64,
    /// Warps that a unit holds at a time.
    pub warps: f64,
    /// Sectors that a warp's access touches, on average.
    pub sectors: f64,
}

/// A kernel on a device, and a launch of it.
pub struct Kernel<'a> {
    device: &'a Device,
    units: &'a Units,
    profile: &'a Profile,
    global: [u64; 3],
    /// Bytes of memory that the launch touches, whatever the shape.
    footprint: f64,
    /// Which accesses read sectors that another copy of the same code reads.
    again: Vec<bool>,
    /// What warps touch, by how many of their work-items lie along each dimension.
    warps: RefCell<BTreeMap<[u64; 3], Rc<[Touched]>>>,
}

/// What the accesses of a warp need.
#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    /// Cycles in which the cache looks lines up or moves bytes.
    cache: f64,
    /// Sectors that the unit's cache does not hold.
    misses: f64,
    /// Writes that warps do to one sector, one after the other.
    to_one_sector: f64,
    /// Sectors, and accesses.
    sectors: f64,
    count: f64,
}

impl<'a> Kernel<'a> {
    /// Of a launch.
    pub fn new(
        device: &'a Device,
        units: &'a Units,
        profile: &'a Profile,
        global: [u64; 3],
    ) -> Self {
        Kernel {
            device,
            units,
            profile,
            global,
            footprint: footprint(device, profile, global),
            again: read_again(device, profile),
            warps: RefCell::default(),
        }
    }

    /// What groups of a shape cost.
    pub fn predict(&self, shape: Shape) -> Prediction {
        self.in_rounds(shape, 1)
    }

    /// What groups of a shape cost of which each does the work of `factor`, one after the other.
    pub fn in_rounds(&self, shape: Shape, factor: u64) -> Prediction {
        let units = self.units;
        let warp = u64::from(self.device.warp);
        let all_groups = shape.groups(self.global) as f64;
        let times = factor as f64;
        let groups = all_groups / times;
        let warps_of_group = shape.items().div_ceil(warp) as f64;
        let at_a_time = (self.warps_at_a_time() / warps_of_group)
            .floor()
            .clamp(1.0, f64::from(units.max_groups));
        let count = f64::from(units.count);
        // The unit with the most groups ends last.
        let of_unit = (groups / count).ceil();
        let resident = of_unit.min(at_a_time) * warps_of_group;
        let lanes = shape.items().min(warp);
        let (traffic, chain) = self.warp(&self.touched_by(shape, lanes), (shape, lanes), resident);
        let cycle = 1e-9 / units.clock_ghz;
        let warps_of_unit = of_unit * warps_of_group * times;
        let rounds = (of_unit / at_a_time).max(1.0);
        let operations: f64 = self
            .profile
            .scopes
            .iter()
            .map(|s| s.runs * s.operations)
            .sum();
        let starts = groups * units.group_start_ns * 1e-9;
        let shared_unit = traffic.misses / units.sectors_per_cycle * warps_of_unit * cycle;
        let one_sector = traffic.to_one_sector * units.sector_write_cycles.unwrap_or(0.0) * cycle;
        let sector = f64::from(self.device.sector_bytes);
        let shared_all =
            traffic.misses * warps_of_group * all_groups * sector / (units.shared_gb_per_s * 1e9);
        let parts = [
            starts,
            operations / units.issue * warps_of_unit * cycle,
            traffic.cache * warps_of_unit * cycle,
            shared_unit.max(shared_all).max(one_sector),
            self.footprint / (units.memory_gb_per_s * 1e9),
            (chain * times + units.group_cycles) * rounds * cycle,
        ];
        let norm: f64 = parts.iter().map(|part| part.powf(SHARPNESS)).sum();
        let largest = (0..6).max_by(|a, b| parts[*a].total_cmp(&parts[*b]));
        let launch = units.launch_us * 1e-6;
        Prediction {
            seconds: launch + norm.powf(1.0 / SHARPNESS),
            limit: Limit::ALL[largest.unwrap_or(0)],
            parts,
            units: groups.min(count) as u64,
            warps: resident,
            sectors: traffic.sectors / traffic.count.max(1e-9),
        }
    }

    /// Warps that a unit has room and registers for.
    fn warps_at_a_time(&self) -> f64 {
        let units = self.units;
        let scopes = self.profile.scopes.iter();
        let most = scopes.map(|scope| scope.registers).fold(0.0, f64::max);
        let own = (most + OTHER_REGISTERS).min(MOST_REGISTERS);
        let of_warp = own * f64::from(self.device.warp);
        f64::from(units.max_warps).min(f64::from(units.registers) / of_warp)
    }

    /// What the first warp of a group touches in each access. Many shapes begin with the same warp.
    fn touched_by(&self, shape: Shape, lanes: u64) -> Rc<[Touched]> {
        let mut left = lanes;
        let layout = shape.0.map(|size| {
            let own = size.min(left).max(1);
            left = left.div_ceil(own);
            own
        });
        if let Some(known) = self.warps.borrow().get(&layout) {
            return known.clone();
        }
        let all = self.profile.accesses.iter();
        let all: Rc<[Touched]> = all
            .map(|access| self.touched_by_warp(access, shape, lanes))
            .collect();
        self.warps.borrow_mut().insert(layout, all.clone());
        all
    }

    /// The traffic of a warp, and the cycles from its first instruction to its last.
    fn warp(
        &self,
        touched: &[Touched],
        (shape, lanes): (Shape, u64),
        resident: f64,
    ) -> (Traffic, f64) {
        let units = self.units;
        let scopes = &self.profile.scopes;
        let mut traffic = Traffic::default();
        let mut waits = vec![0.0f64; scopes.len()];
        let mut lookups = vec![0.0f64; scopes.len()];
        let mut writes = vec![false; scopes.len()];
        let held = self.held(touched) * resident;
        let fits = (units.cache_bytes as f64 / held.max(1.0))
            .min(1.0)
            .powf(CLIFF);
        for (at, scope) in scopes.iter().enumerate() {
            // Each iteration reads and writes what is spilled.
            let spilled = (scope.registers + OTHER_REGISTERS - MOST_REGISTERS).max(0.0);
            let lines = 2.0 * spilled * (lanes as f64 * 4.0 / f64::from(units.line_bytes));
            traffic.cache += scope.runs * lines / units.lines_per_cycle;
            lookups[at] += lines / units.lines_per_cycle;
        }
        for (at, (access, touched)) in self.profile.accesses.iter().zip(touched).enumerate() {
            let scope = &scopes[access.scope];
            let times = scope.runs * access.share;
            let cycles = (touched.lines / units.lines_per_cycle)
                .max(touched.bytes / units.cache_bytes_per_cycle)
                .max(units.access_cycles);
            let again = if self.again[at] { 1.0 - fits } else { 1.0 };
            let misses = self.miss_share(access, shape, fits) * again;
            traffic.cache += times * cycles;
            traffic.misses += times * touched.sectors * misses;
            traffic.sectors += times * touched.sectors;
            traffic.count += times;
            let waited = touched.lines * units.line_wait_cycles.unwrap_or(0.0);
            lookups[access.scope] += cycles.max(waited) * access.share;
            if access.write {
                traffic.to_one_sector += times * self.writers_of_sector(access, shape, lanes);
                writes[access.scope] |= scope.depth > 0;
                continue;
            }
            let wait = units.hit_cycles + misses * units.miss_cycles;
            waits[access.scope] = waits[access.scope].max(wait);
        }
        let chain = (0..scopes.len()).map(|at| {
            let overlap = if writes[at] { 1.0 } else { OVERLAP };
            let scope = &scopes[at];
            let own = waits[at] / if scope.depth > 0 { overlap } else { 1.0 };
            scope.runs * (own + lookups[at] + scope.operations * units.operation_cycles / 2.0)
        });
        (traffic, chain.sum())
    }

    /// Bytes of lines that a warp comes back to in its innermost loops.
    fn held(&self, touched: &[Touched]) -> f64 {
        let line = f64::from(self.units.line_bytes);
        let all = self.profile.accesses.iter().zip(touched);
        let back = all.filter(|(access, _)| self.inner_stride(access).is_some());
        back.map(|(_, touched)| touched.lines * line).sum()
    }

    /// The stride in the innermost loop around, if an iteration comes back to the sectors of the one before.
    fn inner_stride(&self, access: &Access) -> Option<f64> {
        let depth = self.profile.scopes[access.scope].depth;
        if depth == 0 {
            return None;
        }
        let stride = access.stride(FIRST_LOOP + depth - 1)?.unsigned_abs() as f64;
        (stride < f64::from(self.device.sector_bytes)).then_some(stride)
    }

    /// The part of an access's sectors that the unit's cache does not hold.
    fn miss_share(&self, access: &Access, shape: Shape, fits: f64) -> f64 {
        let scope = &self.profile.scopes[access.scope];
        if access.write {
            return 1.0;
        }
        let in_loop = match self.inner_stride(access) {
            Some(stride) => {
                let once =
                    (stride / f64::from(self.device.sector_bytes)).max(1.0 / scope.trips.max(1.0));
                fits * once + (1.0 - fits)
            }
            None => 1.0,
        };
        in_loop / self.shared_by_warps(access, shape)
    }

    /// Warps that write a sector together, each a part of it; 0: one writes all of it, or what it writes lies apart.
    fn writers_of_sector(&self, access: &Access, shape: Shape, lanes: u64) -> f64 {
        let stride = access.stride(1).unwrap_or(0).unsigned_abs();
        let sector = u64::from(self.device.sector_bytes);
        if stride == 0 || stride >= sector {
            return 0.0;
        }
        let of_warp = shape.0[0].min(lanes).max(1);
        let items = (sector / stride).min(self.global[0]);
        match items.div_ceil(of_warp) {
            1 => 0.0,
            warps => warps as f64,
        }
    }

    /// Warps of a group that touch the same sectors.
    fn shared_by_warps(&self, access: &Access, shape: Shape) -> f64 {
        let warp = f64::from(self.device.warp);
        let warps = (shape.items() as f64 / warp).max(1.0);
        let mut same = 1.0;
        for dim in 0..3 {
            let size = shape.0[dim] as f64;
            if access.moves(1 + dim) {
                continue;
            }
            same *= size;
        }
        // Work-items of one warp that share are counted once already.
        let mut inside = 1.0;
        let mut left = warp;
        for dim in 0..3 {
            let size = (shape.0[dim] as f64).min(left).max(1.0);
            left /= size;
            if !access.moves(1 + dim) {
                inside *= size;
            }
        }
        (same / inside).clamp(1.0, warps)
    }

    /// The sectors and lines that an access of a warp's first `lanes` work-items touches.
    fn touched_by_warp(&self, access: &Access, shape: Shape, lanes: u64) -> Touched {
        let bytes = f64::from(access.bytes);
        if access.at.is_none() {
            let mut distinct = 1.0;
            let mut left = lanes as f64;
            for dim in 0..3 {
                let size = (shape.0[dim] as f64).min(left).max(1.0);
                left /= size;
                if access.moves(1 + dim) {
                    distinct *= size;
                }
            }
            return Touched {
                sectors: distinct,
                lines: distinct,
                bytes: bytes * distinct,
            };
        }
        let strides = [1, 2, 3].map(|point| access.stride(point).unwrap_or(0));
        let first = access.at.map_or(0, |at| at[0]);
        let address = |lane: u64| {
            let coordinates = shape.coordinates(lane);
            (0..3).fold(first, |sum, dim| {
                sum.wrapping_add(strides[dim].wrapping_mul(coordinates[dim] as i64))
            })
        };
        // A wider access is several instructions, each of which looks its lines up.
        let pieces = i64::from(access.bytes.div_ceil(WIDEST));
        let mut all: Vec<i64> = (0..lanes).map(address).collect();
        all.sort_unstable();
        // In the order of addresses, a block is new if it lies beyond the last one.
        let distinct = |size: i64, bytes: i64| {
            let last = bytes - 1;
            let mut count = 0;
            let mut end = i64::MIN;
            for at in &all {
                let blocks = (at.div_euclid(size), at.wrapping_add(last).div_euclid(size));
                count += (blocks.1 - blocks.0.max(end) + i64::from(blocks.0 > end)).max(0);
                end = end.max(blocks.1);
            }
            count as f64
        };
        let bytes_of_piece = i64::from(access.bytes.min(WIDEST));
        let sectors = distinct(i64::from(self.device.sector_bytes), i64::from(access.bytes));
        let lines = distinct(i64::from(self.units.line_bytes), bytes_of_piece);
        Touched {
            sectors,
            lines: lines * pieces as f64,
            bytes: (bytes * lanes as f64).min(sectors * f64::from(self.device.sector_bytes)),
        }
    }
}

/// Bytes that a launch touches: of each buffer what its widest access does, in each copy of a loop's body.
pub fn footprint(device: &Device, profile: &Profile, global: [u64; 3]) -> f64 {
    let mut of_copy: BTreeMap<(Option<Root>, bool, u32), f64> = BTreeMap::new();
    for (at, access) in profile.accesses.iter().enumerate() {
        let copy = profile.copies.get(at).copied().unwrap_or(0);
        let entry = of_copy
            .entry((access.root, access.write, copy))
            .or_default();
        *entry = entry.max(reach(device, profile, global, access));
    }
    of_copy.values().sum()
}

/// Which accesses read sectors that an access before them reads, in another copy of a loop's body.
fn read_again(device: &Device, profile: &Profile) -> Vec<bool> {
    let sector = i64::from(device.sector_bytes);
    let mut first: BTreeMap<(Walk, i64), u32> = BTreeMap::new();
    let accesses = profile.accesses.iter().enumerate();
    let again = accesses.map(|(at, access)| {
        let copy = profile.copies.get(at).copied().unwrap_or(0);
        let place = access.at.filter(|_| !access.write);
        place.is_some_and(|place| {
            let touched = (Walk::of(access), place[0].div_euclid(sector));
            *first.entry(touched).or_insert(copy) != copy
        })
    });
    again.collect()
}

/// Bytes that an access touches in a launch.
fn reach(device: &Device, profile: &Profile, global: [u64; 3], access: &Access) -> f64 {
    let scope = &profile.scopes[access.scope];
    let mut elements = access.share.min(1.0);
    for (dim, size) in global.into_iter().enumerate() {
        if access.moves(1 + dim) {
            elements *= size as f64;
        }
    }
    let mut at = access.scope;
    let mut depth = scope.depth;
    while depth > 0 {
        if access.moves(FIRST_LOOP + depth - 1) {
            elements *= profile.scopes[at].trips.max(1.0);
        }
        at = profile.scopes[at].parent;
        depth -= 1;
    }
    let spread = match access.at {
        Some(_) => f64::from(access.bytes),
        None => f64::from(access.bytes.max(device.sector_bytes)),
    };
    elements * spread
}

/// What an access of a warp touches.
#[derive(Clone, Copy, Debug)]
struct Touched {
    sectors: f64,
    lines: f64,
    bytes: f64,
}
