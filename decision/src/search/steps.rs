//! What can be changed of a form, a step at a time.
//!
//! Steps of *structure* decide which work is done in which order; they are taken first, since they change
//! which loops there are. *Widening* steps then do more of it at a time: lanes, compute units, copies of
//! loops, nests that become one loop. A wider form never takes less of the device, so that one that does
//! not fit is a dead end.

use std::collections::BTreeMap;

use fpgacc_device_passes::options::Feature;
use fpgacc_device_passes::options::{OwnOptions, PassOptions};
use fpgacc_device_passes::passes::coarsen::options::{Coarsening, Level, Stride};
use fpgacc_device_passes::passes::geometry::LocalSizes;
use fpgacc_device_passes::passes::unroll::Factor;
use fpgacc_device_passes::passes::{
    self, BANKS, DELINEARISE, FISSION, FUSE, NDRANGE_TO_LOOP, NEIGHBOUR_TABLES, PAD, PRIVATISE,
    SCALAR_REPLACEMENT, TILE, WAVEFRONT, WINDOW, coalesce, coarsen, geometry, lockstep,
    ndrange_to_loop, promote, replicate, unroll, vectorise, window,
};
use fpgacc_device_passes::pipeline::Pipeline;

use fpgacc_performance_model::{Limit, LoopReport};

use crate::price::Made;
use crate::variant::Family;

/// SIMD widths that aoc builds (`num_simd_work_items`; Intel's programming guide).
const LANES: [u64; 5] = [1, 2, 4, 8, 16];
/// Numbers of compute units that are priced: a guess at what fits.
const UNITS: [u64; 6] = [1, 2, 3, 4, 6, 8];
/// Work-items that become one: as many as SIMD widths, of any loops and sizes.
const MERGED: [u64; 5] = [1, 2, 4, 8, 16];
/// Work-items, or iterations, that become one with vectors.
const VECTORS: [u64; 5] = [1, 2, 4, 8, 16];
/// The dimensions in which they do; of more only groups are.
const MERGED_DIMS: u8 = 2;
/// Launches that may become one.
const STEPS: [u64; 6] = [1, 3, 5, 9, 15, 31];
/// Barriers that keep work-groups together only make memory faster: they are tried where it takes this part of the time.
pub const LEAST_MEMORY: f64 = 0.5;
/// Copies of a loop that are priced.
const COPIES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Loops that run at most so often may run all their iterations at once.
const MOST_WHOLE: u64 = 128;

/// Passes that are on only where that pays.
pub const SWITCHED: &[&str] = &[
    BANKS,
    DELINEARISE,
    FUSE,
    FISSION,
    NEIGHBOUR_TABLES,
    PAD,
    PRIVATISE,
    WAVEFRONT,
    WINDOW,
    TILE,
];

/// Those of a family.
fn switched(family: Family) -> &'static [&'static str] {
    match family {
        // Fission gained nothing in any of the programs at hand that fusion did not: it has to be asked for.
        Family::SingleWorkItem => &[
            DELINEARISE,
            FUSE,
            NEIGHBOUR_TABLES,
            PRIVATISE,
            WAVEFRONT,
            WINDOW,
        ],
        Family::NdRange => &[TILE, PRIVATISE],
    }
}
/// The most sizes of arrays that are loaded once that are tried: it only bounds the time.
const MOST_SIZES: usize = 4;
/// No more copies of bodies are priced: a guess, well beyond what fits on a device.
pub const MOST_COPIES: f64 = 1024.0;

/// Loops that may be unrolled, also those that are, by their indices.
#[derive(Clone, Debug, Default)]
pub struct Loops(BTreeMap<usize, Loop>);

#[derive(Clone, Copy, Debug)]
struct Loop {
    /// Its trip count, where that is known.
    trips: Option<u64>,
    /// Loops inside it, which follow it.
    inside: usize,
}

impl Loop {
    /// The most copies of it.
    fn most(&self) -> f64 {
        match self.trips {
            Some(trips) if trips <= MOST_WHOLE => trips.max(1) as f64,
            _ => COPIES[COPIES.len() - 1] as f64,
        }
    }
}

impl Loops {
    /// Those of a form, which was made of one with `known` loops.
    pub fn of(known: Option<&Loops>, made: &Made) -> Self {
        let mut loops = known.cloned().unwrap_or_default();
        let outer = made.nested.iter().map(|nest| &nest.outer);
        let new = made.loops.iter().chain(outer);
        let new = new.map(|found| {
            let (trips, inside) = (found.trips, found.inside);
            (found.index, Loop { trips, inside })
        });
        loops.0.extend(new);
        loops
    }

    /// The product of a number of each loop that this one is in, and its own.
    fn product(&self, at: usize, number: impl Fn(usize, &Loop) -> f64) -> f64 {
        let holds =
            |&(&index, found): &(&usize, &Loop)| (index..=index + found.inside).contains(&at);
        let around = self.0.iter().filter(holds);
        around.map(|(index, found)| number(*index, found)).product()
    }

    /// Copies of the body of each loop that a form unrolls.
    pub fn copies(&self, form: &Pipeline) -> Vec<f64> {
        let lanes = (window_lanes(form) * time_steps(form) * merged(form)) as f64;
        let unroll = factors(form).iter();
        let copies = |index| lanes * self.product(index, |index, _| copies(form, index));
        let mut all: Vec<f64> = unroll.map(|factor| copies(factor.index)).collect();
        all.extend((lanes > 1.0).then_some(lanes));
        all
    }

    /// Copies of all bodies together: of the innermost loops that a form unrolls.
    pub fn all_copies(&self, form: &Pipeline) -> f64 {
        let of = |index| self.product(index, |index, _| copies(form, index));
        let holds_others = |index: usize| {
            let inside = self.0.get(&index).map_or(0, |found| found.inside);
            let mut others = factors(form).iter();
            others.any(|other| (index + 1..=index + inside).contains(&other.index))
        };
        let unrolled = factors(form).iter().map(|factor| factor.index);
        let innermost = unrolled.filter(|index| !holds_others(*index));
        innermost.map(of).sum()
    }

    /// How many times as large as a form, as it was made, one is that is a step from it, at most. Loops are copied with what
    /// stands in them, and the rest is not.
    pub fn growth(&self, form: &Pipeline, made: &Made, step: &Pipeline) -> f64 {
        let more = |index: usize, _: &Loop| copies(step, index) / copies(form, index);
        let in_loops = made.parts_in_loops();
        // Beyond the copies that loops around make of one.
        let added = self.0.keys().map(|&at| {
            let part = in_loops.get(at).copied().unwrap_or(1.0);
            let around = self.around(at);
            let before = around.map_or(1.0, |around| self.product(around, more));
            part * (self.product(at, more) - before)
        });
        let lanes = |form| (window_lanes(form) * time_steps(form) * merged(form)) as f64;
        (1.0 + added.sum::<f64>()) * lanes(step) / lanes(form)
    }

    /// The loop right around one, of those that may be unrolled.
    fn around(&self, at: usize) -> Option<usize> {
        let holds = |&(&index, found): &(&usize, &Loop)| index + found.inside >= at;
        self.0.range(..at).rfind(holds).map(|(index, _)| *index)
    }

    /// How much more than now a form can do at a time.
    pub fn widening(&self, form: &Pipeline) -> f64 {
        let most = LANES[LANES.len() - 1] * UNITS[UNITS.len() - 1];
        let replicated = most as f64 / at_a_time(form) as f64;
        let more = |index: usize, found: &Loop| found.most() / copies(form, index);
        let chains = self.0.keys().map(|at| self.product(*at, more));
        replicated * chains.fold(1.0, f64::max)
    }
}

/// Elements that windows move on by where nothing else is known: those of a word of memory, mostly.
const WINDOW_LANES: u64 = 8;

/// Copies of a loop.
pub fn copies(form: &Pipeline, index: usize) -> f64 {
    let factor = factors(form).iter().find(|factor| factor.index == index);
    factor.map_or(1.0, |factor| factor.copies as f64)
}

/// Loops that are unrolled.
pub fn factors(form: &Pipeline) -> &[Factor] {
    &form.options.of::<unroll::Options>().factors
}

fn window_lanes(form: &Pipeline) -> u64 {
    form.options.of::<window::Options>().lanes
}

fn time_steps(form: &Pipeline) -> u64 {
    form.options.of::<window::Options>().steps
}

/// How many times more launches than now one may become.
pub fn more_steps(form: &Pipeline, made: &Made) -> f64 {
    match made.has_rows {
        true => STEPS[STEPS.len() - 1] as f64 / time_steps(form) as f64,
        false => 1.0,
    }
}

fn vectors(options: &PassOptions) -> Option<u64> {
    options.of::<vectorise::Options>().lanes
}

fn vectors_of_loops(options: &PassOptions) -> Option<u64> {
    options.of::<vectorise::LoopOptions>().lanes
}

fn coarsening(options: &PassOptions) -> Option<Coarsening> {
    options.of::<coarsen::Options>().how
}

/// Work-items that run at a time.
pub fn replicated(form: &Pipeline) -> u64 {
    let replicate::Options { simd, units } = *form.options.of();
    simd * units
}

/// Work-items of NDRanges, or indices of windows.
fn at_a_time(form: &Pipeline) -> u64 {
    replicated(form) * window_lanes(form)
}

/// Whether a form does at least as much at a time as another one of the same structure, in the same loops.
pub fn is_wider(form: &Pipeline, other: &Pipeline) -> bool {
    let lanes = |form: &Pipeline| *form.options.of::<replicate::Options>();
    let (own, others) = (lanes(form), lanes(other));
    let mut all = factors(other).iter();
    own.simd >= others.simd
        && own.units >= others.units
        && all.all(|factor| copies(form, factor.index) >= factor.copies as f64)
        && coalesced_nests(form) == coalesced_nests(other)
        && in_lockstep(form) == in_lockstep(other)
        && form.beginning() == other.beginning()
}

/// Nests that are one loop.
pub fn coalesced_nests(form: &Pipeline) -> &[usize] {
    &form.options.of::<coalesce::Options>().nests
}

/// Loops in whose iterations work-groups stay together.
pub fn in_lockstep(form: &Pipeline) -> &lockstep::Options {
    form.options.of()
}

/// A form with other options of a pass.
pub fn with<O: OwnOptions>(form: &Pipeline, change: impl FnOnce(&mut O)) -> Pipeline {
    let mut form = form.clone();
    change(form.options.of_mut());
    form
}

/// Work-items of the input that are one.
pub fn merged(form: &Pipeline) -> u64 {
    let lanes = vectors(&form.options).unwrap_or(1);
    lanes * coarsening(&form.options).map_or(1, |how| how.factor)
}

/// Whether a step is to fuse loops.
pub fn fuses(form: &Pipeline, step: &Pipeline) -> bool {
    let is_on = |form: &Pipeline| form.switches.get(FUSE) == Some(&true);
    is_on(step) && !is_on(form)
}

/// What decides whether there are loops to fuse: forms in which this is the same have the same ones, mostly.
pub fn fusable(form: &Pipeline) -> (bool, bool, bool) {
    let loops: &ndrange_to_loop::Options = form.options.of();
    let has_rows = form.switches.get(DELINEARISE) == Some(&true);
    (loops.ungrouped, loops.interchange, has_rows)
}

/// Whether the loops of two forms have the same indices. Loops over lanes, those that load tiles, and what is left
/// of loops over vectors stand between others.
pub fn has_loops_of(form: &Pipeline, other: &Pipeline) -> bool {
    let added = |form: &Pipeline| {
        let is_on = |pass: &str| form.switches.get(pass) == Some(&true);
        let changed = (is_on(TILE), is_on(WAVEFRONT));
        (merged(form), changed, vectors_of_loops(&form.options))
    };
    added(form) == added(other)
}

/// Whether a form is wider than its base.
pub fn is_widened(form: &Pipeline) -> bool {
    at_a_time(form) > 1
        || time_steps(form) > 1
        || !factors(form).is_empty()
        || !coalesced_nests(form).is_empty()
        || in_lockstep(form) != lockstep::Options::DEFAULT
}

/// The forms that other work or another order of it makes.
pub fn structural(form: &Pipeline, base: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let did = |name: &str| made.report.did(name);
    let mut found = Vec::new();
    let loops: &ndrange_to_loop::Options = form.options.of();
    let has_loops = made.family == Family::SingleWorkItem && did(NDRANGE_TO_LOOP);
    if has_loops && loops.innermost.is_none() {
        let dims = 0..3;
        found.extend(dims.map(|dim| {
            with(form, |loops: &mut ndrange_to_loop::Options| {
                loops.innermost = Some(dim);
            })
        }));
    }
    found.extend(merging(form, base, made));
    if has_loops && !loops.ungrouped {
        found.push(ungrouped(form));
    }
    if has_loops && !loops.interchange {
        found.extend(interchanged(form));
    }
    if form.runs(&passes::Promote) && form.options.of::<promote::Options>().most == 0 {
        found.extend(promoted(form, made));
    }
    found.extend(with_passes(form, base, made));
    let windows: &window::Options = form.options.of();
    if did(WINDOW) && windows.elements < window::LONG {
        found.push(with(form, |own: &mut window::Options| {
            own.elements = window::LONG;
        }));
    }
    // Nests are perfect only if no values are read before their inner loops.
    let is_asked = base.switches.contains_key(SCALAR_REPLACEMENT);
    if made.family == Family::SingleWorkItem && did(SCALAR_REPLACEMENT) && !is_asked {
        let mut form = form.clone();
        form.switches.insert(SCALAR_REPLACEMENT.to_string(), false);
        found.push(form);
    }
    found
}

/// The forms that make one of more work-items, or of more iterations.
fn merging(form: &Pipeline, base: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let mut found = Vec::new();
    if made.family == Family::NdRange && form.runs(&passes::Coarsen) {
        found.extend(coarsened(form, base));
    }
    // Neighbours that are merged, and copies of loops, access memory as widely as vectors do.
    let is_merged = form.runs(&passes::Coarsen);
    if made.family == Family::NdRange && form.runs(&passes::Vectorise) && !is_merged {
        let more = more_lanes(vectors(&form.options), vectors(&base.options));
        found.extend(
            more.map(|lanes| with(form, |own: &mut vectorise::Options| own.lanes = Some(lanes))),
        );
    }
    if form.runs(&passes::VectoriseLoops) && !form.runs(&passes::Unroll) {
        let more = more_lanes(
            vectors_of_loops(&form.options),
            vectors_of_loops(&base.options),
        );
        found.extend(more.map(|lanes| {
            with(form, |own: &mut vectorise::LoopOptions| {
                own.lanes = Some(lanes)
            })
        }));
    }
    found
}

/// The forms with one more of the passes that are off.
fn with_passes(form: &Pipeline, base: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let mut found = Vec::new();
    let is_off = |pass: &&&str| form.switches.get(**pass) != Some(&true);
    let is_free = |pass: &&&str| !base.switches.contains_key(**pass);
    let has_work = |pass: &&&str| match **pass {
        FUSE => made.has_pairs,
        WAVEFRONT => made.has_waves,
        _ => true,
    };
    let passes = switched(made.family).iter().filter(is_off);
    let passes = passes.filter(is_free).filter(has_work);
    for pass in passes {
        let mut form = form.clone();
        form.switches.insert(pass.to_string(), true);
        if *pass == WINDOW {
            found.push(over_rows(&form, base, &[NEIGHBOUR_TABLES]));
            form = over_rows(&form, base, &[]);
            // Windows pay when they move on by several elements: one alone may look like a loss.
            found.push(with(&form, |own: &mut window::Options| {
                own.lanes = WINDOW_LANES;
            }));
        }
        if *pass == WAVEFRONT {
            // Its lanes want a bank each, and tiles that are loaded and stored row by row. Where little is in memory,
            // copies of it do.
            found.push(form.clone());
            form = with_banks(&form, base);
            found.push(with(&form, |own: &mut ndrange_to_loop::Options| {
                own.interchange = true;
            }));
        }
        found.push(form);
    }
    found
}

/// The forms with local sizes that the host leaves open, if it has none: as it is, and with tiles, which need them.
pub fn in_groups(
    form: &Pipeline,
    base: &Pipeline,
    made: &Made,
    sizes: &LocalSizes,
) -> Vec<Pipeline> {
    let now: &geometry::Options = form.options.of();
    let is_free = now.local_sizes.is_none() && merged(form) == 1;
    if made.family != Family::NdRange || !form.runs(&passes::ChooseGeometry) || !is_free {
        return Vec::new();
    }
    let sized = with(form, |own: &mut geometry::Options| {
        own.local_sizes = Some(sizes.clone());
    });
    let mut tiled = sized.clone();
    let is_tiled = base.switches.get(TILE).copied().unwrap_or(true);
    tiled.switches.insert(TILE.to_string(), is_tiled);
    vec![tiled, sized]
}

/// Windows walk over rows, which groups cut into pieces, quotients hide, and tables may.
fn over_rows(form: &Pipeline, base: &Pipeline, others: &[&str]) -> Pipeline {
    let mut form = ungrouped(form);
    for pass in [DELINEARISE].iter().chain(others) {
        let is_on = base.switches.get(*pass).copied().unwrap_or(true);
        form.switches.insert(pass.to_string(), is_on);
    }
    form
}

/// Loops over global ids.
pub fn ungrouped(form: &Pipeline) -> Pipeline {
    with(form, |loops: &mut ndrange_to_loop::Options| {
        loops.ungrouped = true;
    })
}

/// A kernel's own loops outside of those over work-items: of groups, and of all.
fn interchanged(form: &Pipeline) -> Vec<Pipeline> {
    let grouped = with(form, |loops: &mut ndrange_to_loop::Options| {
        loops.interchange = true;
    });
    let all = ungrouped(&grouped);
    match form.options.of::<ndrange_to_loop::Options>().ungrouped {
        true => vec![all],
        false => vec![grouped, all],
    }
}

/// The next number of elements of vectors, unless the user says how many.
fn more_lanes(now: Option<u64>, asked: Option<u64>) -> impl Iterator<Item = u64> {
    let more = next(&VECTORS, now.unwrap_or(1));
    more.filter(move |_| asked.is_none())
}

/// More neighbours that become one work-item, unless the user says how many: what they read alike is read
/// once.
fn coarsened(form: &Pipeline, base: &Pipeline) -> Vec<Pipeline> {
    if coarsening(&base.options).is_some() {
        return Vec::new();
    }
    let how = coarsening(&form.options);
    let dims = match how {
        Some(how) => how.dim..how.dim + 1,
        None => 0..MERGED_DIMS,
    };
    let now = how.map_or(1, |how| how.factor);
    let more = next(&MERGED, now).flat_map(|factor| {
        dims.clone().map(move |dim| Coarsening {
            dim,
            factor,
            stride: Stride::Of(1),
            level: Level::Items,
        })
    });
    // What is loaded once for each of them is loaded for all.
    let loaded = form.options.of::<promote::Options>().most;
    let with = |how: Coarsening| {
        let form = with(form, |own: &mut coarsen::Options| own.how = Some(how));
        match loaded {
            0 => form,
            _ => with(&form, |own: &mut promote::Options| {
                own.most = loaded * how.factor / now
            }),
        }
    };
    more.map(with).collect()
}

/// What loops read again loaded once, the fewest elements first.
fn promoted(form: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let mut sizes: Vec<u64> = made.promotable.iter().map(|found| found.elements).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let with = |elements| with(form, |own: &mut promote::Options| own.most = elements);
    sizes.into_iter().take(MOST_SIZES).map(with).collect()
}

/// The forms that are one step wider, on a device with so many memory blocks.
pub fn wider(
    form: &Pipeline,
    base: &Pipeline,
    made: &Made,
    (loops, blocks): (&Loops, f64),
) -> Vec<Pipeline> {
    let mut found = Vec::new();
    if made.family == Family::NdRange && form.runs(&passes::Replicate) {
        let now: &replicate::Options = form.options.of();
        found.extend(next(&LANES, now.simd).map(|simd| {
            let set = |own: &mut replicate::Options| own.simd = simd;
            with(form, set)
        }));
        found.extend(next(&UNITS, now.units).map(|units| {
            let set = |own: &mut replicate::Options| own.units = units;
            with(form, set)
        }));
        found.extend(lanes_for_units(now).map(|(simd, units)| {
            let set = |own: &mut replicate::Options| {
                own.simd = simd;
                own.units = units;
            };
            with(form, set)
        }));
    }
    if made.family == Family::NdRange && form.runs(&passes::Lockstep) {
        found.extend(together(form, made));
    }
    found.extend(wider_windows(form, made));
    found.extend(banked(form, base, made, blocks));
    if form.runs(&passes::Unroll) {
        found.extend(unrolled(form, made, loops));
        found.extend(whole(form, made, loops));
    }
    let knows_coalesce = !form
        .options
        .unknown_to_tool
        .contains(&Feature::LoopCoalesce);
    if made.family == Family::SingleWorkItem && knows_coalesce && form.runs(&passes::Coalesce) {
        found.extend(coalesced(form, made));
    }
    found
}

/// The next SIMD width, and compute units for no more work-items at a time than now: lanes and units widen a form in turns,
/// and which of the two is better shows where both were.
fn lanes_for_units(now: &replicate::Options) -> Option<(u64, u64)> {
    let simd = next(&LANES, now.simd).next()?;
    let most = now.simd * now.units / simd;
    let units = UNITS.into_iter().rev().find(|units| *units <= most)?;
    Some((simd, units))
}

/// Memory blocks of the device from which on banks are tried, which may do with fewer copies of what is read.
const MANY_BLOCKS: f64 = 0.2;

/// Longer rows and banks, where a loop waits for the ports of an array, or reads take many copies of one.
fn banked(form: &Pipeline, base: &Pipeline, made: &Made, blocks: f64) -> Option<Pipeline> {
    let is_free = !base.switches.contains_key(BANKS);
    let is_on = form.switches.get(BANKS) == Some(&true);
    if made.family != Family::SingleWorkItem || is_on || !is_free {
        return None;
    }
    let waits =
        |report: &LoopReport| report.ii > 1.0 && matches!(report.limit, Limit::LocalPorts { .. });
    let mut parts = made.price.parts.iter();
    let is_slow = parts.any(|part| part.prediction.loops.iter().any(waits));
    (is_slow || made.price.area.ram > MANY_BLOCKS * blocks).then(|| with_banks(form, base))
}

/// A form with banks, and rows that have them, where the user leaves that open.
fn with_banks(form: &Pipeline, base: &Pipeline) -> Pipeline {
    let mut form = form.clone();
    for pass in [BANKS, PAD] {
        if !base.switches.contains_key(pass) {
            form.switches.insert(pass.to_string(), true);
        }
    }
    form
}

/// Windows that move on by more elements, or do more launches.
fn wider_windows(form: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let mut found = Vec::new();
    if made.family == Family::SingleWorkItem && made.report.did(WINDOW) {
        found.extend(next(&LANES, window_lanes(form)).map(|lanes| {
            let set = |own: &mut window::Options| own.lanes = lanes;
            with(form, set)
        }));
    }
    let mut contracts = made.report.contracts.values();
    let takes_steps = contracts.any(|contract| contract.steps().is_some());
    if made.has_rows && made.report.did(WINDOW) && (takes_steps || time_steps(form) == 1) {
        found.extend(next(&STEPS, time_steps(form)).map(|steps| {
            let set = |own: &mut window::Options| own.steps = steps;
            with(form, set)
        }));
    }
    found
}

/// One more loop in whose iterations work-groups stay together, where it is memory that takes the time.
fn together(form: &Pipeline, made: &Made) -> Vec<Pipeline> {
    if made.memory_part() < LEAST_MEMORY {
        return Vec::new();
    }
    let is_copied = |index| factors(form).iter().any(|factor| factor.index == index);
    let free = made.lockstep.iter().filter(|one| !is_copied(one.index));
    free.map(|one| {
        let add = |own: &mut lockstep::Options| own.add(one.index);
        with(form, add)
    })
    .collect()
}

/// One loop copied more often.
fn unrolled(form: &Pipeline, made: &Made, loops: &Loops) -> Vec<Pipeline> {
    let mut found = Vec::new();
    for (&index, &Loop { trips, .. }) in &loops.0 {
        let now = factors(form).iter().find(|factor| factor.index == index);
        let is_open = now.is_some() || made.loops.iter().any(|found| found.index == index);
        if !is_open {
            continue;
        }
        let now = now.map_or(1, |factor| factor.copies);
        for copies in more_copies(now, trips) {
            found.push(with_factors(form, &[Factor { index, copies }]));
        }
    }
    found
}

/// Loops unrolled with all loops inside them, these whole: an inner loop alone may gain nothing.
fn whole(form: &Pipeline, made: &Made, loops: &Loops) -> Vec<Pipeline> {
    let mut found = Vec::new();
    for nest in &made.nested {
        let factors = nest
            .inside
            .iter()
            .map(|&(index, copies)| Factor { index, copies });
        let inside: Vec<Factor> = factors.collect();
        let copies = inside.iter().map(|factor| factor.copies);
        let all = copies.fold(1, u64::saturating_mul);
        let outer = nest.outer;
        // One of several that follow each other does not make an innermost loop of the one around them.
        if nest.is_row {
            found.push(as_far_as_priced(form, &inside, loops));
        }
        let is_even = |copies: &u64| {
            outer
                .trips
                .is_none_or(|trips| trips.is_multiple_of(*copies))
        };
        let more = more_copies(1, outer.trips).into_iter().filter(is_even);
        for copies in more.filter(|copies| all.saturating_mul(*copies) <= MOST_WHOLE) {
            let index = outer.index;
            let mut factors = inside.clone();
            factors.push(Factor { index, copies });
            found.push(with_factors(form, &factors));
        }
    }
    found
}

/// A form with these copies, of inner loops first, but for loops that would have more than are priced.
fn as_far_as_priced(form: &Pipeline, factors: &[Factor], loops: &Loops) -> Pipeline {
    factors.iter().rev().fold(form.clone(), |form, factor| {
        let wider = with_factors(&form, &[*factor]);
        let are_priced = loops.copies(&wider).iter().all(|all| *all <= MOST_COPIES);
        if are_priced { wider } else { form }
    })
}

/// A form with other numbers of copies of these loops.
pub fn with_factors(form: &Pipeline, factors: &[Factor]) -> Pipeline {
    with(form, |own: &mut unroll::Options| {
        own.factors
            .retain(|own| factors.iter().all(|factor| factor.index != own.index));
        own.factors.extend(factors);
        own.factors.sort();
    })
}

/// The next number of copies, and all iterations at once.
fn more_copies(now: u64, trips: Option<u64>) -> Vec<u64> {
    let mut more: Vec<u64> = next(&COPIES, now)
        .filter(|copies| trips.is_none_or(|trips| *copies < trips))
        .collect();
    let whole = trips.filter(|trips| *trips > now && *trips <= MOST_WHOLE);
    more.extend(whole);
    more
}

/// One more coalesced nest.
fn coalesced(form: &Pipeline, made: &Made) -> Vec<Pipeline> {
    let joined = |at: usize| {
        let nests = coalesced_nests(form).iter();
        let mut nests = nests.filter_map(|index| made.nests.iter().find(|n| n.index == *index));
        nests.any(|nest| (nest.index..nest.index + nest.levels as usize).contains(&at))
    };
    let free = made.nests.iter().filter(|nest| !joined(nest.index));
    free.map(|nest| {
        with(form, |own: &mut coalesce::Options| {
            own.nests.push(nest.index);
            own.nests.sort_unstable();
        })
    })
    .collect()
}

/// The number after this one.
fn next(ladder: &[u64], now: u64) -> impl Iterator<Item = u64> {
    ladder
        .iter()
        .copied()
        .find(|number| *number > now)
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_take_the_place_of_compute_units() {
        let exchanged = |simd, units| lanes_for_units(&replicate::Options { simd, units });
        assert_eq!(exchanged(4, 4), Some((8, 2)));
        assert_eq!(exchanged(1, 3), Some((2, 1)));
        // One unit has nothing to give, and there are no more lanes than 16.
        assert_eq!(exchanged(4, 1), None);
        assert_eq!(exchanged(16, 8), None);
    }

    #[test]
    fn copies_double_up_to_all_iterations() {
        assert_eq!(more_copies(1, None), [2]);
        assert!(more_copies(64, None).is_empty());
        assert_eq!(more_copies(1, Some(8)), [2, 8]);
        assert_eq!(more_copies(4, Some(8)), [8]);
        assert!(more_copies(8, Some(8)).is_empty());
        assert_eq!(more_copies(2, Some(3)), [3]);
        assert_eq!(more_copies(16, Some(1000)), [32]);
    }
}
