//! Which forms of a kernel are tried.
//!
//! `--kernel-opt=1` tries what the launches prove of the kernel as it is, `--kernel-opt=2` also loops over its work-items and
//! shift registers, `--kernel-opt=3` also wider forms of the best of each family: what loops read again
//! loaded once, lanes and compute units of NDRanges, the order of loops over work-items, windows, unrolled
//! loops, nests that become one loop. The search is greedy and bounded by [`MOST`] forms.

use std::collections::BTreeMap;

use fpgacc_device_passes::options::Factor;
use fpgacc_device_passes::pass::Pass;
use fpgacc_device_passes::passes::{self, NDRANGE_TO_LOOP, REDUCTION, WINDOW};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_performance_model::Family as Device;

use super::price::{GAIN, Made, Pricing, share_of};
use super::requested::ExecutionModel;
use super::requested::restrained;
use super::side_by_side;
use super::tables;
use super::variant::{Candidate, Family};
use super::words::label;

/// The most forms of a kernel that are made and priced: it only bounds the time.
const MOST: usize = 64;
/// The widest SIMD that aoc builds (`num_simd_work_items`; Intel's programming guide).
const MOST_LANES: u64 = 16;
/// The most compute units, and the factors of unrolling, that are priced: a guess at what fits.
const MOST_UNITS: u64 = 8;
const UNROLL_FACTORS: [u64; 4] = [2, 4, 8, 16];
/// The most sizes of arrays that are loaded once that are tried: it only bounds the time.
const MOST_SIZES: usize = 4;
/// Wider forms come after all others of the same price, the widest last.
const RANK_OF_WIDE: u32 = 4;

/// The forms of a kernel that a level allows, that of the input first, and the place of the one that
/// the passes make for a request.
pub fn candidates(
    pricing: &Pricing<'_>,
    pipeline: &Pipeline,
    model: ExecutionModel,
) -> (Vec<Candidate>, usize) {
    let mut search = Search {
        pricing,
        base: pipeline,
        found: Vec::new(),
        ahead: Vec::new(),
        tried: 0,
    };
    let plain = search.plain(model);
    search.make_ahead(&plain);
    let mut standard = 0;
    for Plain {
        pipeline,
        rank,
        is_standard,
    } in plain
    {
        let added = search.add(pipeline, rank);
        if let Some((at, _)) = added.filter(|_| is_standard) {
            standard = at;
        }
    }
    if pipeline.level >= 3 {
        search.widen();
    }
    (search.finish(), standard)
}

/// Depths of shift registers that let an iteration start each cycle: one more than the latency of the
/// addition.
fn depths(family: &Device) -> Vec<u32> {
    let operators = &family.operators;
    let adders = [operators.float_add.latency, operators.double_add.latency];
    let mut depths = adders
        .map(|latency| latency.max(1.0).ceil() as u32 + 1)
        .to_vec();
    depths.dedup();
    depths
}

/// A form that is tried whatever the others cost.
struct Plain {
    pipeline: Pipeline,
    rank: u32,
    /// The passes make it for the user's request.
    is_standard: bool,
}

struct Search<'a> {
    pricing: &'a Pricing<'a>,
    base: &'a Pipeline,
    found: Vec<(Candidate, Made)>,
    /// Forms that were made side by side, before their turn.
    ahead: Vec<(Pipeline, Made)>,
    tried: usize,
}

impl Search<'_> {
    /// The forms that a level has, that of the input first.
    fn plain(&self, model: ExecutionModel) -> Vec<Plain> {
        let form = |pipeline, rank| Plain {
            pipeline,
            rank,
            is_standard: false,
        };
        let level = self.base.level;
        // What widens forms does nothing unless it is told to.
        let wide: [&dyn Pass; 4] = [
            &passes::Promote,
            &passes::Replicate,
            &passes::Unroll,
            &passes::Coalesce,
        ];
        let mut forms = vec![form(self.only(&wide.map(|pass| pass.name())), 1)];
        if level == 0 {
            return forms;
        }
        forms.push(form(self.without(&[NDRANGE_TO_LOOP, REDUCTION]), 0));
        if model != ExecutionModel::Auto {
            forms.push(Plain {
                is_standard: true,
                ..form(restrained(self.base, model), 3)
            });
        }
        if level >= 2 || model == ExecutionModel::SingleWorkItem {
            forms.push(form(self.without(&[REDUCTION]), 2));
        }
        if level >= 2 {
            forms.extend(
                depths(self.pricing.board.family())
                    .into_iter()
                    .map(|depth| {
                        let mut deep = self.without(&[]);
                        deep.options.shift_register_depth = depth;
                        form(deep, 3)
                    }),
            );
        }
        forms
    }

    /// Makes and prices forms side by side, where there is more than one processor.
    fn make_ahead(&mut self, forms: &[Plain]) {
        if side_by_side::is_parallel() {
            let pipelines: Vec<Pipeline> = forms.iter().map(|form| form.pipeline.clone()).collect();
            let made = self.pricing.make_all(&pipelines);
            self.ahead = pipelines.into_iter().zip(made).collect();
        }
    }

    /// Makes and prices a form, unless that was done.
    fn make_one(&self, pipeline: &Pipeline) -> Made {
        let known = self.ahead.iter().find(|(known, _)| known == pipeline);
        match known {
            Some((_, made)) => made.clone(),
            None => self.pricing.make(pipeline, self.made()),
        }
    }

    /// The user's pipeline with no pass but these, and those that the user turns on.
    fn only(&self, names: &[&str]) -> Pipeline {
        let others = passes::ALL.iter().map(|pass| pass.name());
        let others: Vec<&str> = others.filter(|name| !names.contains(name)).collect();
        self.without(&others)
    }

    /// The user's pipeline without these passes, unless the user turns them on.
    fn without(&self, names: &[&str]) -> Pipeline {
        let names = names.iter().chain([&WINDOW]);
        let off = names.map(|name| (name.to_string(), false));
        let mut switches: BTreeMap<String, bool> = off.collect();
        switches.extend(self.base.switches.clone());
        Pipeline {
            switches,
            ..self.base.clone()
        }
    }

    /// The forms that were found.
    fn made(&self) -> impl Iterator<Item = &Made> {
        self.found.iter().map(|(_, made)| made)
    }

    /// Makes and prices a form, with the tables in constant memory that make it better.
    fn make(&self, pipeline: Pipeline) -> (Pipeline, Made) {
        let make = |pipeline| self.make_versions(pipeline);
        tables::choose(pipeline, self.pricing.board, &make)
    }

    /// Makes and prices a form. Versions for different launches take area of their own: there is one for
    /// all, unless they are faster.
    fn make_versions(&self, pipeline: Pipeline) -> (Pipeline, Made) {
        let made = self.make_one(&pipeline);
        if !made.report.versions.are_several() {
            return (pipeline, made);
        }
        let mut one = pipeline.clone();
        one.options.versions = false;
        let single = self.make_one(&one);
        let is_as_fast = single.price.seconds.value <= made.price.seconds.value * GAIN;
        let is_smaller = share_of(&single.price.area, self.pricing.board)
            <= share_of(&made.price.area, self.pricing.board);
        match single.price.fits >= made.price.fits && is_as_fast && is_smaller {
            true => (one, single),
            false => (pipeline, made),
        }
    }

    /// Makes and prices a form. Its place among the forms, and whether it is new; `None`: there are
    /// enough.
    fn add(&mut self, pipeline: Pipeline, rank: u32) -> Option<(usize, bool)> {
        if self.tried >= MOST {
            return None;
        }
        self.tried += 1;
        let (pipeline, made) = self.make(pipeline);
        let known = self.made().position(|other| other.is_made_by(&made.report));
        if let Some(at) = known {
            let known = &mut self.found[at].0;
            // The same form: of its pipelines the one with more passes on, which say why they did nothing.
            if rank < known.rank {
                known.rank = rank;
                known.pipeline = pipeline;
            }
            return Some((at, false));
        }
        let label = self.tell_apart(label(&made, self.found.is_empty()));
        let candidate = Candidate {
            label,
            pipeline,
            price: made.price.clone(),
            family: made.family,
            is_measured: false,
            rank,
        };
        self.found.push((candidate, made));
        Some((self.found.len() - 1, true))
    }

    /// A label that no other form has.
    fn tell_apart(&self, label: String) -> String {
        let is_taken = |label: &str| self.found.iter().any(|(known, _)| known.label == label);
        if !is_taken(&label) {
            return label;
        }
        let numbered = (2..).map(|number| format!("{label} ({number})"));
        let mut free = numbered.skip_while(|label| is_taken(label));
        free.next().unwrap_or(label)
    }

    fn finish(self) -> Vec<Candidate> {
        self.found
            .into_iter()
            .map(|(candidate, _)| candidate)
            .collect()
    }

    /// The fastest form of a family that fits; of equal ones the one that the passes are on for.
    fn best(&self, family: Family) -> Option<usize> {
        let of_family = (0..self.found.len()).filter(|&at| {
            let (candidate, _) = &self.found[at];
            candidate.family == family && candidate.price.fits
        });
        let rank = |at: usize| self.found[at].0.rank;
        of_family.min_by(|&a, &b| {
            let faster = self.seconds(a).total_cmp(&self.seconds(b));
            faster.then(rank(a).cmp(&rank(b)))
        })
    }

    fn seconds(&self, at: usize) -> f64 {
        self.found[at].0.price.seconds.value
    }

    fn widen(&mut self) {
        for family in [Family::NdRange, Family::SingleWorkItem] {
            if let Some(best) = self.best(family) {
                self.promote(best);
            }
        }
        if let Some(best) = self.best(Family::NdRange) {
            self.replicate(best);
        }
        if let Some(best) = self.best(Family::SingleWorkItem) {
            self.reorder(best);
        }
        if let Some(best) = self.best(Family::SingleWorkItem) {
            self.window(best);
        }
        for family in [Family::NdRange, Family::SingleWorkItem] {
            if let Some(best) = self.best(family) {
                let unrolled = self.unroll(best);
                if family == Family::SingleWorkItem {
                    self.coalesce(unrolled);
                    if unrolled != best {
                        self.coalesce(best);
                    }
                    self.coalesce_perfect(best);
                }
            }
        }
    }

    /// What loops read again loaded once, the fewest elements first.
    fn promote(&mut self, from: usize) {
        let (candidate, made) = &self.found[from];
        let form = candidate.pipeline.clone();
        if !form.runs(&passes::Promote) || form.options.promote > 0 {
            return;
        }
        let rank = candidate.rank.max(RANK_OF_WIDE) + 1;
        let mut sizes: Vec<u64> = made.promotable.iter().map(|found| found.elements).collect();
        sizes.dedup();
        for elements in sizes.into_iter().take(MOST_SIZES) {
            let mut form = form.clone();
            form.options.promote = elements;
            self.add(form, rank);
        }
    }

    /// Each dimension's loops over work-items innermost.
    fn reorder(&mut self, from: usize) {
        let (candidate, made) = &self.found[from];
        let mut done = made.report.done.values().flatten();
        if done.all(|(pass, _)| *pass != NDRANGE_TO_LOOP) {
            return;
        }
        let (form, rank) = (candidate.pipeline.clone(), candidate.rank + 1);
        for dim in 0..3 {
            let mut form = form.clone();
            form.options.innermost = Some(dim);
            self.add(form, rank);
        }
    }

    /// Arrays read through windows.
    fn window(&mut self, from: usize) {
        if self.base.switches.contains_key(WINDOW) {
            return;
        }
        let mut form = self.found[from].0.pipeline.clone();
        form.switches.insert(WINDOW.to_string(), true);
        let rank = self.found[from].0.rank.max(RANK_OF_WIDE);
        self.add(form, rank);
    }

    /// Lanes first, which share more than compute units do; then compute units of what came of it, and
    /// of the form without lanes.
    fn replicate(&mut self, from: usize) {
        if !self.found[from].0.pipeline.runs(&passes::Replicate) {
            return;
        }
        let wide = self.double(from, |form| &mut form.options.simd, MOST_LANES);
        self.double(wide, |form| &mut form.options.compute_units, MOST_UNITS);
        if wide != from {
            self.double(from, |form| &mut form.options.compute_units, MOST_UNITS);
        }
    }

    /// Doubles a number of a form as long as it gains. The place of the last that did.
    fn double(
        &mut self,
        from: usize,
        number: impl Fn(&mut Pipeline) -> &mut u64,
        most: u64,
    ) -> usize {
        let mut best = from;
        let mut form = self.found[from].0.pipeline.clone();
        while *number(&mut form) < most {
            *number(&mut form) *= 2;
            let rank = RANK_OF_WIDE + (form.options.simd * form.options.compute_units) as u32;
            match self.add(form.clone(), rank) {
                Some((at, true)) if self.gains(at, best) => best = at,
                _ => break,
            }
        }
        best
    }

    /// Whether a form is worth its area.
    fn gains(&self, at: usize, over: usize) -> bool {
        self.found[at].0.price.fits && self.seconds(at) * GAIN <= self.seconds(over)
    }

    /// Loops one by one, each as often as it gains. The place of the last form that did.
    fn unroll(&mut self, from: usize) -> usize {
        let mut best = from;
        if !self.found[from].0.pipeline.runs(&passes::Unroll) {
            return best;
        }
        for candidate in self.found[from].1.loops.clone() {
            for copies in UNROLL_FACTORS {
                let mut form = self.found[best].0.pipeline.clone();
                let unroll = &mut form.options.unroll;
                unroll.retain(|factor| factor.index != candidate.index);
                unroll.push(Factor {
                    index: candidate.index,
                    copies,
                });
                unroll.sort();
                let copies: u64 = unroll.iter().map(|factor| factor.copies).sum();
                let rank = self.found[from].0.rank.max(RANK_OF_WIDE) + copies as u32;
                let Some((at, true)) = self.add(form, rank) else {
                    break;
                };
                if !self.gains(at, best) {
                    break;
                }
                best = at;
            }
        }
        best
    }

    /// Nests that are perfect only if no values are read before their inner loops.
    fn coalesce_perfect(&mut self, from: usize) {
        let name = passes::SCALAR_REPLACEMENT;
        let mut done = self.found[from].1.report.done.values().flatten();
        let is_asked = self.base.switches.contains_key(name);
        if is_asked || done.all(|(pass, _)| *pass != name) {
            return;
        }
        let mut form = self.found[from].0.pipeline.clone();
        form.switches.insert(name.to_string(), false);
        let rank = self.found[from].0.rank + 1;
        if let Some((at, true)) = self.add(form, rank) {
            self.coalesce(at);
        }
    }

    /// Nests one by one, the largest first, each if that gains.
    fn coalesce(&mut self, from: usize) {
        let mut best = from;
        if !self.found[from].0.pipeline.runs(&passes::Coalesce) {
            return;
        }
        let mut joined = 0;
        for nest in self.found[from].1.nests.clone() {
            if nest.index < joined {
                continue;
            }
            let mut form = self.found[best].0.pipeline.clone();
            form.options.coalesce.push(nest.index);
            let rank = self.found[from].0.rank.max(RANK_OF_WIDE) + nest.levels as u32;
            if let Some((at, true)) = self.add(form, rank)
                && self.gains(at, best)
            {
                best = at;
                joined = nest.index + nest.levels as usize;
            }
        }
    }
}
