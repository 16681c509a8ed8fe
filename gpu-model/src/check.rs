//! What launches waste on a GPU: sectors of memory that no lane uses, turns of local memory, lanes that wait.
//!
//! Lloyd's GPUCheck (thesis, chapter 6) asks the same of kernels alone. Here the host's launches are known.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::Launch as LaunchFact;

use crate::device::Device;
use crate::fields::Fields;
use crate::gain::{self, Gain};
use crate::geometry::shape::Shape;
use crate::lanes::observed::{Access, AccessSite, Barrier, Branch, BranchKind, Coming, Stride};
use crate::lanes::range::Launch;
use crate::lanes::value::{Origin, Sym};
use crate::lanes::{self, Walk};
use crate::profile::{self, Profile, Sizes};
use crate::recorded::{Seen, SeenAccess, SeenBranch};
use crate::shapes;

/// The most launches of a kernel that are looked at.
const MOST_LAUNCHES: usize = 4;

/// From when on waste is worth a warning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Sectors moved, by those that would do: more than this.
    pub sectors: f64,
    /// The part of a kernel's traffic that an access makes, at least.
    pub traffic: f64,
    /// The part of a kernel's lane-operations that is idle, at least.
    pub operations: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        // Guesses: half of what moves is wasted, and a twentieth of a kernel is worth a look.
        Thresholds {
            sectors: 2.0,
            traffic: 0.05,
            operations: 0.05,
        }
    }
}

/// A threshold is passed by more than rounding.
const ROUNDING: f64 = 1.001;

/// By how much two sites may differ that do about the same, as a part: a guess.
const ALIKE: f64 = 0.1;

/// How sure it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds for each launch that the host makes.
    Proved,
    /// It holds for each launch that the host makes, if these numbers are 8 or more.
    Provided(BTreeSet<String>),
    /// The same of some iterations of a long loop that stand for all, and that differ.
    Estimated,
    /// It holds for launches that were recorded.
    Measured,
    /// It holds for groups of this size: the usual ones of the device's runtime, as the host leaves them open. It does
    /// not for others.
    Assumed([u64; 3]),
    /// It depends on what memory holds.
    ByData,
    /// It depends on these, which are not known.
    Unknown(BTreeSet<String>),
}

impl Verdict {
    /// One word.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Provided(_) => "proved for large arguments",
            Verdict::Estimated => "estimated",
            Verdict::Measured => "measured",
            Verdict::Assumed(_) => "assumed",
            Verdict::ByData => "depends on data",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it is worth a warning.
    pub fn is_sure(&self) -> bool {
        matches!(
            self,
            Verdict::Proved | Verdict::Provided(_) | Verdict::Estimated | Verdict::Measured
        )
    }

    /// This, of a site that differs between iterations that stand for others.
    fn sampled(self, is_sampled: bool) -> Verdict {
        match is_sampled && self.is_sure() {
            true => Verdict::Estimated,
            false => self,
        }
    }
}

/// What a site does. Totals are of one launch.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// An access to global or constant memory.
    Global {
        /// It writes.
        write: bool,
        /// Bytes of a lane.
        bytes: u64,
        /// Sectors that a warp moves, on average.
        sectors: f64,
        /// Sectors that would do.
        ideal: f64,
        /// Bytes that are moved for nothing.
        wasted: f64,
        /// Bytes between neighbouring lanes, if it is always the same.
        stride: Option<i128>,
        /// It stands in a loop.
        in_loop: bool,
    },
    /// An access to local memory.
    Local {
        /// It writes.
        write: bool,
        /// Turns that a warp's access takes, on average.
        turns: f64,
        /// Those that it would take without conflicts: 1, but more of wide elements.
        ideal: f64,
        /// Bytes between neighbouring lanes, if it is always the same.
        stride: Option<i128>,
    },
    /// A branch.
    Branch {
        /// What decides.
        kind: BranchKind,
        /// The part of the warps whose lanes go different ways.
        diverged: f64,
    },
    /// A barrier of groups of several warps.
    Barrier {
        /// The part of the time since the barrier before that warps wait for the last of their group, on average.
        waiting: f64,
    },
    /// A barrier to which not all work-items of a group come.
    MissedBarrier {
        /// The part of the times that some come there at which others do not.
        missed: f64,
    },
}

/// A site of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Where.
    pub span: Span,
    /// What it does.
    pub what: What,
    /// How sure that is.
    pub verdict: Verdict,
    /// The part of the kernel's traffic (global memory) or lane-operations (others) that it makes or wastes.
    pub share: f64,
    /// The share and totals are estimates: how often something happens is not known exactly.
    pub is_rough: bool,
    /// It is worth a warning.
    pub is_warning: bool,
    /// The launch, as a position in the list that was given; `None`: no launch is known.
    pub launch: Option<usize>,
    /// What mending it gains, if that is worth a warning, and the launch and the device's times are known.
    pub gain: Option<Gain>,
    /// The local size is not known, and it makes a difference.
    pub by_size: Option<BySize>,
}

/// Local sizes that a launch may have, in their order: those in which a site is worth a warning, and the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BySize {
    /// It is worth a warning.
    pub warned: Vec<[u64; 3]>,
    /// It is not.
    pub fine: Vec<[u64; 3]>,
}

/// What is found of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// In the order of the text.
    pub sites: Vec<Site>,
    /// Bytes that the largest launch moves, and those of them that no lane uses.
    pub traffic: f64,
    /// See [`Self::traffic`].
    pub wasted: f64,
    /// The global size of that launch is known: without it, bytes are those of a guess.
    pub is_counted: bool,
    /// They are estimates, as how often something happens is.
    pub is_rough: bool,
    /// The kernel is too long: what was not looked at is not in the list.
    pub is_cut: bool,
    /// What is not followed, such as `goto`.
    pub not_followed: BTreeSet<&'static str>,
}

/// Where a site stands and what it is: an access that reads, one that writes, a branch, a barrier at which warps wait,
/// or one that some miss.
type Key = (Span, u8);

/// Looks at a kernel as its launches run it. What depends on data, or on what is not known of the launch, is as runs
/// showed it, if they did.
pub fn check(
    module: &Module,
    kernel: FunctionId,
    launches: &[&LaunchFact],
    device: &Device,
    thresholds: &Thresholds,
    runs: &Seen,
) -> Findings {
    let mut found = Findings::default();
    let mut sites: BTreeMap<Key, Site> = BTreeMap::new();
    let mut seen: Vec<Vec<Launch>> = Vec::new();
    let all: Vec<Option<usize>> = match launches.len() {
        0 => vec![None],
        count => (0..count).map(Some).collect(),
    };
    for at in all {
        let launch = at.map(|at| launches[at]);
        let shapes = shapes::of(module, kernel, launch, device);
        if seen.contains(&shapes.all) || seen.len() >= MOST_LAUNCHES {
            continue;
        }
        let walks: Vec<Walk> = shapes
            .all
            .iter()
            .map(|one| lanes::walk(module, kernel, one, device, runs))
            .collect();
        let is_counted = shapes
            .all
            .iter()
            .all(|one| one.global.iter().all(Option::is_some));
        let locals = shapes.local_sizes();
        seen.push(shapes.all);
        let scene = Scene {
            open: shapes.open,
            usual: shapes.usual,
            locals,
            is_counted,
            device,
            thresholds,
            runs,
            launch: at,
            is_recorded: launch.is_some_and(|launch| launch.recorded.is_some()),
        };
        scene.add(&walks, &mut sites, &mut found);
    }
    found.sites = sites.into_values().collect();
    if device.units.is_some() {
        add_gains(module, kernel, launches, device, &mut found.sites);
    }
    found
}

/// What mending gains, for sites of global memory that are worth a warning.
fn add_gains(
    module: &Module,
    kernel: FunctionId,
    launches: &[&LaunchFact],
    device: &Device,
    sites: &mut [Site],
) {
    let mut profiles: BTreeMap<usize, Option<(Profile, [u64; 3], Shape)>> = BTreeMap::new();
    let is_meant = |site: &&mut Site| site.is_warning && matches!(site.what, What::Global { .. });
    for site in sites.iter_mut().filter(is_meant) {
        let Some(at) = site.launch else {
            continue;
        };
        let known = profiles.entry(at).or_insert_with(|| {
            let shapes = shapes::of(module, kernel, Some(launches[at]), device).all;
            let [launch] = &shapes[..] else {
                return None;
            };
            let [Some(x), Some(y), Some(z)] = launch.global else {
                return None;
            };
            let sizes = Sizes {
                global: [x, y, z],
                local: None,
                scalars: launch.known_scalars(),
            };
            let profile = profile::profile(module, kernel, &sizes);
            Some((profile, sizes.global, Shape(launch.local)))
        });
        if let Some((profile, global, shape)) = known {
            site.gain = gain::best(device, profile, *global, *shape, site.span);
        }
    }
}

/// Numbers that are not known.
type Syms = BTreeSet<Sym>;

/// A launch and how its sites are judged.
struct Scene<'a> {
    /// What is not known where a launch may be one of several.
    open: &'static str,
    /// The local size that the first shape has by the device's usual choice.
    usual: Option<[u64; 3]>,
    /// The local sizes of the shapes, if these differ in nothing else.
    locals: Vec<[u64; 3]>,
    device: &'a Device,
    thresholds: &'a Thresholds,
    runs: &'a Seen<'a>,
    launch: Option<usize>,
    is_recorded: bool,
    /// Its global size is known.
    is_counted: bool,
}

impl Scene<'_> {
    /// Adds what a launch does, with each local size that it may have. Of several launches, the one that wastes
    /// most counts for a site.
    fn add(&self, walks: &[Walk], sites: &mut BTreeMap<Key, Site>, found: &mut Findings) {
        let walks: Vec<Walk> = walks
            .iter()
            .map(|walk| self.measured(walk, walks.len() == 1))
            .collect();
        let judged: Vec<BTreeMap<Key, Site>> = walks.iter().map(|walk| self.judge(walk)).collect();
        for walk in &walks {
            found.is_cut |= walk.seen.is_cut;
            found.not_followed.extend(&walk.seen.not_followed);
        }
        if let Some(walk) = walks.first() {
            let traffic = self.traffic(walk);
            if traffic.0 > found.traffic {
                (found.traffic, found.wasted) = traffic;
                found.is_counted = self.is_counted;
                found.is_rough = walk.seen.is_rough;
            }
        }
        let Some((first, others)) = judged.split_first() else {
            return;
        };
        for (key, site) in first {
            let mut site = site.clone();
            let disagrees = |other: &BTreeMap<Key, Site>| match other.get(key) {
                Some(other) => !is_like(&other.what, &site.what),
                None => !is_nothing(&site.what),
            };
            if site.verdict.is_sure() && others.iter().any(disagrees) {
                self.leave_open(&mut site, self.by_size(&judged, key));
            }
            let is_worse = |now: &Site| (site.is_warning, site.share) > (now.is_warning, now.share);
            if sites.get(key).is_none_or(is_worse) {
                sites.insert(*key, site);
            }
        }
    }

    /// What a site does depends on what is open of the launch.
    fn leave_open(&self, site: &mut Site, sizes: Option<BySize>) {
        let warns_in_all = sizes.as_ref().is_some_and(|sizes| sizes.fine.is_empty());
        match self.usual {
            Some(local) => site.verdict = Verdict::Assumed(local),
            // That it is worth one does not depend on it, only how much so.
            None if warns_in_all => {
                site.is_rough = true;
                return;
            }
            None => {
                site.by_size = sizes;
                site.verdict = Verdict::Unknown(BTreeSet::from([self.open.to_string()]));
            }
        }
        site.is_warning = false;
    }

    /// In which of the local sizes that a launch may have a site is worth a warning.
    fn by_size(&self, judged: &[BTreeMap<Key, Site>], key: &Key) -> Option<BySize> {
        if self.locals.len() != judged.len() {
            return None;
        }
        let mut sizes = BySize::default();
        for (local, sites) in self.locals.iter().zip(judged) {
            match sites.get(key).is_some_and(|site| site.is_warning) {
                true => sizes.warned.push(*local),
                false => sizes.fine.push(*local),
            }
        }
        Some(sizes)
    }

    /// What runs showed in place of what is not known. `is_one`: no other shape of the launch is possible.
    fn measured(&self, walk: &Walk, is_one: bool) -> Walk {
        let mut walk = walk.clone();
        let mut seen = std::mem::take(&mut walk.seen);
        for (site, access) in &mut seen.accesses {
            let Some(run) = self.runs.access(site.position.span, site.write) else {
                continue;
            };
            let verdict = self.verdict(&walk, access.is_by_data(), &access.open, &access.apart);
            match is_one && verdict.is_sure() {
                // How often it happens may be a guess nevertheless.
                true => access.happens(run.warps),
                false => access.measure(&run, access.is_global()),
            }
        }
        for ((position, kind), branch) in &mut seen.branches {
            let Some(run) = self.runs.branch(position.span, *kind) else {
                continue;
            };
            let by_data = branch.by_data > 0.0;
            let verdict = self.verdict(&walk, by_data, &branch.open, &BTreeSet::new());
            // A run knows more than warps and iterations that stand for others.
            if !(is_one && verdict.is_sure()) || branch.is_sampled {
                branch.measure(&run);
            }
        }
        walk.seen = seen;
        walk
    }

    /// Bytes that are moved, and those that no lane uses. Where it depends on data what is moved, that is the
    /// most, and nothing is known of what is used.
    fn traffic(&self, walk: &Walk) -> (f64, f64) {
        let sector = f64::from(self.device.sector_bytes);
        let fields = Fields::of(&walk.seen);
        let global = (walk.seen.accesses.iter()).filter(|(_, access)| access.is_global());
        let (moved, used) = global.fold((0.0, 0.0), |(moved, used), (at, access)| {
            let own = moved_sectors(access) * fields.own_part(access, at.write);
            match access.is_by_data() && !access.is_measured {
                true => (moved + own, used + own),
                false => (moved + own, used + access.ideal),
            }
        });
        (moved * sector, (moved - used).max(0.0) * sector)
    }

    fn judge(&self, walk: &Walk) -> BTreeMap<Key, Site> {
        let mut sites = BTreeMap::new();
        let fields = Fields::of(&walk.seen);
        let global = (walk.seen.accesses.values()).filter(|access| access.is_global());
        let moved: f64 = global.map(moved_sectors).sum();
        let operations = walk.seen.operations.max(1.0);
        for (at, access) in &walk.seen.accesses {
            let site = match access.is_global() {
                true => self.global(walk, at, access, (&fields, moved)),
                false => self.local(walk, at.position.span, at.write, access, operations),
            };
            sites.insert((at.position.span, u8::from(at.write)), site);
        }
        for ((position, kind), branch) in &walk.seen.branches {
            let site = self.branch(walk, position.span, *kind, branch, operations);
            sites.insert((position.span, 2), site);
        }
        for (position, barrier) in &walk.seen.barriers {
            sites.insert(
                (position.span, 3),
                self.barrier(walk, position.span, barrier, operations),
            );
        }
        let may_miss = |one: &&Coming| one.missed > 0.0 || one.by_data || !one.open.is_empty();
        let comings = walk.seen.comings.iter();
        for (position, coming) in comings.filter(|(_, coming)| may_miss(coming)) {
            let site = self.missed_barrier(walk, position.span, coming);
            sites.insert((position.span, 4), site);
        }
        sites
    }

    /// `open`: numbers that it depends on; `apart`: numbers that only have to be large.
    fn verdict(&self, walk: &Walk, by_data: bool, open: &Syms, apart: &Syms) -> Verdict {
        let origin = |sym: &Sym| &walk.origins[sym.0 as usize];
        // Products of what memory holds may be anything.
        let is_argument = |sym: &&Sym| matches!(origin(sym), Origin::Argument(_) | Origin::Size(_));
        let (large, others): (BTreeSet<&Sym>, BTreeSet<&Sym>) = apart.iter().partition(is_argument);
        let unknown: BTreeSet<&Sym> = open.iter().chain(others).collect();
        if by_data
            || !unknown.is_empty() && unknown.iter().all(|sym| *origin(sym) == Origin::Memory)
        {
            return Verdict::ByData;
        }
        let names = |syms: &BTreeSet<&Sym>| -> BTreeSet<String> {
            let names = syms.iter().filter_map(|sym| match origin(sym) {
                Origin::Argument(name) => Some(format!("argument `{name}`")),
                Origin::Size(name) => Some(format!("the {name}")),
                Origin::Memory => None,
                Origin::Computed => Some("a value that is not followed".to_string()),
            });
            names.collect()
        };
        match (unknown.is_empty(), large.is_empty()) {
            (false, _) => Verdict::Unknown(names(&unknown)),
            _ if self.launch.is_none() => {
                Verdict::Unknown(BTreeSet::from(["the launch".to_string()]))
            }
            _ if self.is_recorded => Verdict::Measured,
            (_, false) => Verdict::Provided(names(&large)),
            (_, true) => Verdict::Proved,
        }
    }

    /// `moved`: the sectors of all accesses.
    fn global(
        &self,
        walk: &Walk,
        at: &AccessSite,
        access: &Access,
        (fields, moved): (&Fields, f64),
    ) -> Site {
        let (span, write) = (at.position.span, at.write);
        let share = moved_sectors(access) / moved.max(1.0);
        let verdict = match access.is_measured {
            true => Verdict::Measured,
            false => self
                .verdict(walk, access.is_by_data(), &access.open, &access.apart)
                .sampled(access.is_sampled),
        };
        let shared = fields.with_neighbours(access);
        let is_wasteful = access.sectors > shared * self.thresholds.sectors * ROUNDING;
        let times = access.warps.max(1.0);
        let sector = f64::from(self.device.sector_bytes);
        Site {
            span,
            what: What::Global {
                write,
                bytes: access.bytes,
                sectors: access.sectors / times,
                ideal: access.ideal / times,
                wasted: (access.sectors - shared).max(0.0)
                    * fields.own_part(access, write)
                    * sector,
                stride: access.stride.bytes(),
                in_loop: access.in_loop,
            },
            is_warning: verdict.is_sure() && is_wasteful && share >= self.thresholds.traffic,
            verdict,
            share,
            is_rough: walk.seen.is_rough,
            launch: self.launch,
            gain: None,
            by_size: None,
        }
    }

    fn local(
        &self,
        walk: &Walk,
        span: Span,
        write: bool,
        access: &Access,
        operations: f64,
    ) -> Site {
        let verdict = match access.is_measured {
            true => Verdict::Measured,
            false => self
                .verdict(walk, access.is_by_data(), &access.open, &BTreeSet::new())
                .sampled(access.is_sampled),
        };
        let share = access.turns * f64::from(self.device.warp) / operations;
        let ideal = (access.passes / access.warps.max(f64::MIN_POSITIVE)).max(1.0);
        Site {
            span,
            what: What::Local {
                write,
                turns: ideal + access.turns / access.warps.max(1.0),
                ideal,
                stride: access.stride.bytes(),
            },
            is_warning: verdict.is_sure() && share >= self.thresholds.operations,
            verdict,
            share,
            is_rough: walk.seen.is_rough,
            launch: self.launch,
            gain: None,
            by_size: None,
        }
    }

    fn barrier(&self, walk: &Walk, span: Span, barrier: &Barrier, operations: f64) -> Site {
        let verdict = self.verdict(walk, barrier.by_data, &barrier.open, &BTreeSet::new());
        let all: f64 = walk.seen.barriers.values().map(|one| one.waiting).sum();
        let share = barrier.waiting / (operations + all);
        let whole = (barrier.operations + barrier.waiting).max(1.0);
        Site {
            span,
            what: What::Barrier {
                waiting: barrier.waiting / whole,
            },
            is_warning: verdict.is_sure() && share >= self.thresholds.operations,
            verdict,
            share,
            is_rough: walk.seen.is_rough,
            launch: self.launch,
            gain: None,
            by_size: None,
        }
    }

    /// It is an error whatever it costs.
    fn missed_barrier(&self, walk: &Walk, span: Span, coming: &Coming) -> Site {
        let verdict = self
            .verdict(walk, coming.by_data, &coming.open, &BTreeSet::new())
            .sampled(coming.is_sampled);
        let missed = coming.missed / coming.times.max(f64::MIN_POSITIVE);
        Site {
            span,
            what: What::MissedBarrier { missed },
            is_warning: verdict.is_sure(),
            verdict,
            share: missed,
            is_rough: walk.seen.is_rough,
            launch: self.launch,
            gain: None,
            by_size: None,
        }
    }

    fn branch(
        &self,
        walk: &Walk,
        span: Span,
        kind: BranchKind,
        branch: &Branch,
        operations: f64,
    ) -> Site {
        let verdict = match branch.is_measured {
            true => Verdict::Measured,
            false => self
                .verdict(walk, branch.by_data > 0.0, &branch.open, &BTreeSet::new())
                .sampled(branch.is_sampled),
        };
        let share = branch.idle / operations;
        // `if (i < n)` splits a warp of the last group.
        let may_guard = matches!(kind, BranchKind::If | BranchKind::ShortCircuit);
        let is_guard = may_guard && !branch.is_inside && !branch.is_measured;
        Site {
            span,
            what: What::Branch {
                kind,
                diverged: branch.diverged / branch.warps.max(1.0),
            },
            is_warning: verdict.is_sure() && !is_guard && share >= self.thresholds.operations,
            verdict,
            share,
            is_rough: walk.seen.is_rough,
            launch: self.launch,
            gain: None,
            by_size: None,
        }
    }
}

impl Access {
    /// Takes over what runs showed.
    fn measure(&mut self, run: &SeenAccess, is_global: bool) {
        (self.warps, self.lanes) = (run.warps, run.lanes);
        match is_global {
            true => (self.sectors, self.ideal) = (run.sectors, run.ideal),
            false => (self.turns, self.passes) = (run.sectors - run.ideal, run.ideal),
        }
        (self.by_data, self.lanes_guessed, self.is_measured) = (0.0, false, true);
        self.stride = Stride::Mixed;
        self.anchors.clear();
    }

    /// It happens so often.
    fn happens(&mut self, warps: f64) {
        let factor = warps / self.warps.max(f64::MIN_POSITIVE);
        for number in [
            &mut self.lanes,
            &mut self.sectors,
            &mut self.ideal,
            &mut self.turns,
            &mut self.passes,
        ] {
            *number *= factor;
        }
        self.warps = warps;
    }
}

impl Branch {
    /// Takes over what runs showed.
    fn measure(&mut self, run: &SeenBranch) {
        self.diverged = self.warps * run.diverged;
        self.idle = self.issued[0] * run.idle[0] + self.issued[1] * run.idle[1];
        self.is_measured = true;
    }
}

/// Sectors that an access moves. Where memory decides, each lane may want one of its own.
fn moved_sectors(access: &Access) -> f64 {
    match access.by_data > 0.0 {
        true => access.sectors.max(access.lanes),
        false => access.sectors,
    }
}

/// Whether a site does about the same with another local size.
fn is_like(a: &What, b: &What) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= ALIKE * a.abs().max(b.abs());
    match (a, b) {
        (
            What::Global {
                sectors: a,
                ideal: i,
                ..
            },
            What::Global {
                sectors: b,
                ideal: j,
                ..
            },
        ) => near(a / i.max(1.0), b / j.max(1.0)),
        (
            What::Local {
                turns: a, ideal: i, ..
            },
            What::Local {
                turns: b, ideal: j, ..
            },
        ) => near(a / i, b / j),
        (What::Branch { diverged: a, .. }, What::Branch { diverged: b, .. })
        | (What::Barrier { waiting: a }, What::Barrier { waiting: b }) => (a - b).abs() <= ALIKE,
        (What::MissedBarrier { .. }, What::MissedBarrier { .. }) => true,
        _ => false,
    }
}

/// Whether a site that does this does nothing: so does one that is not there with another local size.
fn is_nothing(what: &What) -> bool {
    match what {
        What::Branch { diverged: part, .. }
        | What::Barrier { waiting: part }
        | What::MissedBarrier { missed: part } => *part <= 0.0,
        What::Global { .. } | What::Local { .. } => false,
    }
}
