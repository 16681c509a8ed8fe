//! Which forms of a kernel are tried.
//!
//! `--kernel-opt=1` tries what the launches prove of the kernel as it is, `--kernel-opt=2` also loops over its
//! work-items and shift registers: the plain forms. `--kernel-opt=3` walks on from these: of the best form that was
//! not looked at, all forms that are one step away are made and priced, and the one that takes all of these that
//! gained ([`combined`]), NDRanges and single work-items by turns. The best form is the fastest with the fewest detours
//! (Harvey and Ginsberg, "Limited discrepancy search", IJCAI 1995): steps that widen come to the same forms in any
//! order, so that the best of them is no detour, and each other one is. A form is passed over if its [`bound`] shows
//! that nothing that widens it beats the best one, and is not made if a less wide one does not fit. The walk ends when
//! nothing is left, or when the [`Effort`] is spent.
//!
//! Like branch and bound over the configurations of pipelines (Pouget, Pouchet and Cong, "Automatic hardware
//! pragma insertion in high-level synthesis", arXiv 2405.12304), with the model's own prices in place of a
//! program to solve.

mod bound;
mod combined;
mod effort;
mod groups;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_device_passes::pass::Pass;
use fpgacc_device_passes::passes::geometry::LocalSizes;
use fpgacc_device_passes::passes::{self, FUSE, NDRANGE_TO_LOOP, REDUCTION, WINDOW, reduction};
use fpgacc_device_passes::pipeline::Pipeline;
use fpgacc_performance_model::Family as Device;

use super::choose::{OTHER_FAMILY, SAME};
use super::describe::label;
use super::price::{GAIN, Made, Pricing, share_of};
use super::requested::ExecutionModel;
use super::requested::restrained;
use super::side_by_side;
use super::size::Size;
use super::tables;
use super::variant::{Candidate, Family, Origin, Refused, Searched, step};

pub use self::effort::{Effort, SearchTime};
pub use self::steps::SWITCHED;

use self::effort::{Passes, Reserved};
use self::steps::Loops;

/// Wider forms come after all others of the same price, the widest last; those of the input as it is after those
/// that have what the launches prove.
const RANK_OF_WIDE: u32 = 4;

/// What a search found.
pub struct Found {
    /// The forms that are reported, that of the input first.
    pub candidates: Vec<Candidate>,
    /// The index of the one that the passes make for a request.
    pub standard: usize,
    /// How far the search went.
    pub searched: Searched,
}

/// The forms of a kernel that a level allows.
pub fn candidates(
    pricing: &Pricing<'_>,
    pipeline: &Pipeline,
    model: ExecutionModel,
    effort: Effort,
) -> Found {
    let mut search = Search {
        pricing,
        base: pipeline,
        model,
        effort,
        nodes: Vec::new(),
        ahead: Vec::new(),
        asked: BTreeSet::new(),
        groups: groups::proposed(pricing),
        apart: BTreeSet::new(),
    };
    let plain = search.plain(model);
    search.make_ahead(plain.iter().map(|form| form.pipeline.clone()).collect());
    let mut standard = 0;
    for Plain {
        pipeline,
        rank,
        is_standard,
    } in plain
    {
        let at = search.add(pipeline, rank, None);
        if is_standard {
            standard = at;
        }
    }
    if pipeline.level >= 3 {
        search.effort = effort.of_at_least(search.nodes[0].made.priced_size());
        search.walk(standard);
    }
    search.finish(standard)
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

/// A form in the graph of all forms.
struct Node {
    candidate: Candidate,
    made: Made,
    /// The form that it is a step away from; `None`: it is plain.
    from: Option<usize>,
    loops: Loops,
    /// See [`bound::floor`].
    floor: f64,
    is_expanded: bool,
    /// The model sees no difference to the form that it was made of.
    is_twin: bool,
    /// See [`Search::note_detours`].
    detours: u32,
}

/// A step from a form.
struct Step {
    pipeline: Pipeline,
    reserved: Reserved,
}

struct Search<'a, 'p> {
    pricing: &'a Pricing<'p>,
    base: &'a Pipeline,
    model: ExecutionModel,
    effort: Effort,
    nodes: Vec<Node>,
    /// Forms that were made side by side, before their turn.
    ahead: Vec<(Pipeline, Made)>,
    /// What was asked of the passes.
    asked: BTreeSet<String>,
    /// Local sizes, where the host leaves them open.
    groups: Option<LocalSizes>,
    /// Forms that have no loops to fuse ([`steps::fusable`]).
    apart: BTreeSet<(bool, bool, bool)>,
}

impl Search<'_, '_> {
    /// The forms that a level has, that of the input first.
    fn plain(&self, model: ExecutionModel) -> Vec<Plain> {
        let form = |pipeline, rank| Plain {
            pipeline,
            rank,
            is_standard: false,
        };
        let level = self.base.level;
        // What widens forms does nothing unless it is asked to.
        let wide: [&dyn Pass; 8] = [
            &passes::Promote,
            &passes::VectoriseLoops,
            &passes::Vectorise,
            &passes::Coarsen,
            &passes::Replicate,
            &passes::Lockstep,
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
                        deep.options.of_mut::<reduction::Options>().depth = depth;
                        form(deep, 3)
                    }),
            );
        }
        forms
    }

    /// Makes and prices forms side by side, where there is more than one processor.
    fn make_ahead(&mut self, pipelines: Vec<Pipeline>) {
        if side_by_side::is_parallel() {
            let made = self.pricing.make_all(&pipelines, self.made());
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
        let names = names.iter().chain(steps::SWITCHED);
        let off = names.map(|name| (name.to_string(), false));
        let mut switches: BTreeMap<String, bool> = off.collect();
        switches.extend(self.base.switches.clone());
        let form = Pipeline {
            switches,
            ..self.base.clone()
        };
        // Rows that groups cut are no use to windows.
        match form.switches.get(WINDOW) {
            Some(true) => steps::ungrouped(&form),
            _ => form,
        }
    }

    /// The forms that were found.
    fn made(&self) -> impl Iterator<Item = &Made> + Clone {
        self.nodes.iter().map(|node| &node.made)
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
        one.options.one_version = true;
        let single = self.make_one(&one);
        let is_as_fast = single.price.seconds.value <= made.price.seconds.value * GAIN;
        let is_smaller = share_of(&single.price.area, self.pricing.board)
            <= share_of(&made.price.area, self.pricing.board);
        match single.price.fits >= made.price.fits && is_as_fast && is_smaller {
            true => (one, single),
            false => (pipeline, made),
        }
    }

    /// Makes and prices a form. Its index among the forms.
    fn add(&mut self, pipeline: Pipeline, rank: u32, from: Option<usize>) -> usize {
        let (pipeline, made) = self.make(pipeline);
        let known = self.made().position(|other| other.is_like(&made));
        if let Some(at) = known {
            let known = &mut self.nodes[at].candidate;
            // The same form: of its pipelines the one with more passes on, which say why they did nothing.
            if rank < known.rank {
                known.rank = rank;
                known.pipeline = pipeline;
            }
            return at;
        }
        let label = self.distinguished(label(&made, self.nodes.is_empty()));
        let known = from.map(|from| &self.nodes[from]);
        let known = known.filter(|from| steps::has_loops_of(&from.candidate.pipeline, &pipeline));
        let loops = Loops::of(known.map(|from| &from.loops), &made);
        let floor = bound::floor(&made, &pipeline, &loops, self.pricing.board);
        let candidate = Candidate {
            label,
            pipeline,
            price: made.price.clone(),
            family: made.family,
            origin: Origin::Model,
            predicted: None,
            from: None,
            refused: Vec::new(),
            rank,
        };
        self.nodes.push(Node {
            candidate,
            made,
            from,
            loops,
            floor,
            is_expanded: false,
            is_twin: false,
            detours: 0,
        });
        let at = self.nodes.len() - 1;
        self.nodes[at].is_twin = self.is_twin(at);
        at
    }

    /// A label that no other form has.
    fn distinguished(&self, label: String) -> String {
        let is_taken = |label: &str| self.nodes.iter().any(|node| node.candidate.label == label);
        if !is_taken(&label) {
            return label;
        }
        let numbered = (2..).map(|number| format!("{label} ({number})"));
        let mut free = numbered.skip_while(|label| is_taken(label));
        free.next().unwrap_or(label)
    }

    /// Makes what is a step away from the best, until nothing is left to gain or to spend.
    fn walk(&mut self, standard: usize) {
        for root in 0..self.nodes.len() {
            self.nodes[root].detours = u32::from(self.is_unproved(root));
        }
        let asked =
            (self.model != ExecutionModel::Auto).then_some(self.nodes[standard].candidate.family);
        while let Some(at) = self.next(asked) {
            self.nodes[at].is_expanded = true;
            let steps = self.steps(at);
            self.make_ahead(steps.iter().map(|step| step.pipeline.clone()).collect());
            for step in steps {
                self.take(at, step);
            }
            self.combine(at);
            self.note_detours(at);
        }
    }

    /// Makes what is a step away from a form.
    fn take(&mut self, at: usize, step: Step) {
        let Step { pipeline, reserved } = step;
        let rank = self.rank(at, &pipeline);
        let fuses = steps::fuses(&self.nodes[at].candidate.pipeline, &pipeline);
        let fusable = steps::fusable(&pipeline);
        let passes = match steps::is_widened(&pipeline) {
            true => Passes::Last,
            false => Passes::All,
        };
        let known = self.nodes.len();
        let added = self.add(pipeline, rank, Some(at));
        let made = &self.nodes[added].made;
        // Where nothing was fused, the form is known: it is not tried again.
        if fuses && !made.report.did(FUSE) {
            self.apart.insert(fusable);
        }
        let priced = match added == known {
            true => made.priced_size(),
            false => Size::default(),
        };
        self.effort.spend(reserved, priced, passes);
    }

    /// Makes the form that takes all steps from a form that gained.
    fn combine(&mut self, at: usize) {
        let wider = self.wider_than(at);
        let mut gained: Vec<usize> = wider
            .filter(|&step| self.fits(step) && !self.is_idle(step))
            .collect();
        gained.sort_by(|&a, &b| self.seconds(a).total_cmp(&self.seconds(b)));
        let of = |at: usize| &self.nodes[at].candidate.pipeline;
        let steps = gained.iter().map(|&step| of(step));
        let has_lanes = self.nodes[at].made.memory_part() < steps::LEAST_MEMORY;
        let all = combined::combined(of(at), steps, has_lanes);
        if let Some(step) = self.step(at, all) {
            self.take(at, step);
        }
    }

    /// The wider forms that are a step from this one.
    fn wider_than(&self, at: usize) -> impl Iterator<Item = usize> {
        let nodes = self.nodes.iter().enumerate();
        let next = nodes.filter(move |(_, node)| node.from == Some(at));
        let wider = next.filter(|(_, node)| steps::is_widened(&node.candidate.pipeline));
        wider.map(|(at, _)| at)
    }

    /// The form to look at next: of the family on which less was spent, so that one with many choices or large forms
    /// leaves time for the other.
    fn next(&self, asked: Option<Family>) -> Option<usize> {
        if self.effort.is_spent() {
            return None;
        }
        let mut families = [Family::NdRange, Family::SingleWorkItem];
        families.sort_by(|a, b| self.priced(*a).total_cmp(&self.priced(*b)));
        let wanted = families.into_iter();
        let mut wanted = wanted.filter(|family| asked.is_none_or(|asked| asked == *family));
        wanted.find_map(|family| self.next_of(family))
    }

    /// What was priced of a family's forms.
    fn priced(&self, family: Family) -> f64 {
        let forms = self.of_family(family);
        forms
            .map(|at| self.nodes[at].made.priced_size().all())
            .sum()
    }

    fn of_family(&self, family: Family) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(move |&at| self.family(at) == family)
    }

    /// The form of a family with the fewest detours that fits and may lead to a faster one than is known, the fastest of
    /// these; of equally fast ones the one that is less wide. Those that the model cannot tell from others come last.
    fn next_of(&self, family: Family) -> Option<usize> {
        let to_beat = self.to_beat(family);
        let of_family = self.of_family(family);
        let open = of_family.filter(|&at| self.is_open(at, to_beat));
        open.min_by(|&a, &b| {
            let key = |at: usize| (self.nodes[at].is_twin, self.nodes[at].detours);
            let faster = self.seconds(a).total_cmp(&self.seconds(b));
            let rank = |at: usize| self.nodes[at].candidate.rank;
            let gains = key(a).cmp(&key(b));
            gains.then(faster).then(rank(a).cmp(&rank(b)))
        })
    }

    /// Counts detours on the ways to the forms a step from this one: what gained nothing, and what widens it and is not
    /// the best of what does. The others' ways, with that step later, come to the same forms.
    fn note_detours(&mut self, at: usize) {
        let fitting = self.wider_than(at).filter(|&step| self.fits(step));
        let best = fitting.min_by(|&a, &b| self.seconds(a).total_cmp(&self.seconds(b)));
        let astray: BTreeSet<usize> = self
            .wider_than(at)
            .filter(|&step| best != Some(step))
            .collect();
        let before = self.nodes[at].detours;
        for step in 0..self.nodes.len() {
            if self.nodes[step].from == Some(at) {
                let detours = u32::from(astray.contains(&step)) + u32::from(self.is_idle(step));
                self.nodes[step].detours = before + detours;
            }
        }
    }

    /// Whether the model sees no difference to the form that a form was made of: it copies loops that are copied anyway.
    fn is_twin(&self, at: usize) -> bool {
        let price = |at: usize| {
            let price = &self.nodes[at].candidate.price;
            (price.seconds.value, price.area)
        };
        let from = self.nodes[at].from;
        from.is_some_and(|from| price(from) == price(at))
    }

    /// Whether a form is no faster than the one that it was made of.
    fn is_idle(&self, at: usize) -> bool {
        let from = self.nodes[at].from;
        from.is_some_and(|from| self.seconds(at) * GAIN > self.seconds(from))
    }

    /// Whether a form was made of the input as it is, where what the launches prove costs next to nothing: more
    /// steps lead on from the form that has it.
    fn is_unproved(&self, at: usize) -> bool {
        let is_proved = |node: &Node| node.from.is_none() && node.candidate.rank == 0;
        let proved = self.nodes.iter().position(is_proved);
        let is_as_fast =
            |proved: usize| proved != 0 && self.seconds(proved) <= self.seconds(0) * OTHER_FAMILY;
        self.root(at) == 0 && proved.is_some_and(is_as_fast)
    }

    /// The plain form that a form was made of.
    fn root(&self, at: usize) -> usize {
        let mut root = at;
        while let Some(before) = self.nodes[root].from {
            root = before;
        }
        root
    }

    /// Whether what is a step away from a form may be faster than all that is known, if its family has `to_beat`.
    fn is_open(&self, at: usize, to_beat: f64) -> bool {
        let node = &self.nodes[at];
        if node.is_expanded || !node.candidate.price.fits {
            return false;
        }
        let is_certain =
            self.effort.is_exhaustive() || !steps::is_widened(&node.candidate.pipeline);
        is_certain || node.floor * SAME < to_beat
    }

    /// Seconds that a form must beat to be kept in its family.
    fn to_beat(&self, family: Family) -> f64 {
        let best = |family| self.fastest(family).map_or(f64::MAX, |at| self.seconds(at));
        let own = best(family);
        let other = match family {
            Family::NdRange => best(Family::SingleWorkItem),
            Family::SingleWorkItem => best(Family::NdRange),
        };
        match family == self.family(0) {
            true => own.min(other * OTHER_FAMILY),
            false => own.min(other / OTHER_FAMILY),
        }
    }

    /// What is asked for in one step from a form, and was not asked for before.
    fn steps(&mut self, at: usize) -> Vec<Step> {
        let Node {
            candidate,
            made,
            loops,
            ..
        } = &self.nodes[at];
        let form = &candidate.pipeline;
        let mut all = Vec::new();
        if !steps::is_widened(form) {
            all.extend(steps::structural(form, self.base, made));
            let groups = self.groups.as_ref();
            let groups = groups.map(|sizes| steps::in_groups(form, self.base, made, sizes));
            all.extend(groups.into_iter().flatten());
        }
        let blocks = self.pricing.board.device.ram;
        all.extend(steps::wider(form, self.base, made, (loops, blocks)));
        let all = all.into_iter();
        all.filter_map(|form| self.step(at, form)).collect()
    }

    /// A step from a form, if it may be a new form that fits and there is effort left for it.
    fn step(&mut self, at: usize, pipeline: Pipeline) -> Option<Step> {
        let node = &self.nodes[at];
        let form = &node.candidate.pipeline;
        let mut copies = node.loops.copies(&pipeline).into_iter();
        let is_apart =
            steps::fuses(form, &pipeline) && self.apart.contains(&steps::fusable(&pipeline));
        let may_be_new = copies.all(|copies| copies <= steps::MOST_COPIES)
            && !is_apart
            && self.may_fit(&pipeline)
            && self.asked.insert(format!("{pipeline:?}"));
        let growth = node.loops.growth(form, &node.made, &pipeline);
        let size = node.made.priced_size();
        let is_huge = node.loops.all_copies(&pipeline) > steps::MOST_COPIES;
        let reserved = may_be_new.then(|| self.effort.reserve(size, growth, is_huge))??;
        Some(Step { pipeline, reserved })
    }

    /// Whether no form is known that does less at a time and does not fit.
    fn may_fit(&self, form: &Pipeline) -> bool {
        let mut nodes = self.nodes.iter().map(|node| &node.candidate);
        self.effort.is_exhaustive()
            || !nodes.any(|other| !other.price.fits && steps::is_wider(form, &other.pipeline))
    }

    /// Of forms that cost the same, those come first that do less at a time.
    fn rank(&self, from: usize, pipeline: &Pipeline) -> u32 {
        let plain = self.nodes[self.root(from)].candidate.rank;
        if !steps::is_widened(pipeline) && steps::merged(pipeline) == 1 {
            return plain + 1;
        }
        let copies: u64 = steps::factors(pipeline)
            .iter()
            .map(|factor| factor.copies)
            .sum();
        let lanes = steps::replicated(pipeline) * steps::merged(pipeline);
        let loops = steps::coalesced_nests(pipeline).len() + steps::in_lockstep(pipeline).count();
        RANK_OF_WIDE + plain + (lanes + copies) as u32 + loops as u32
    }

    fn family(&self, at: usize) -> Family {
        self.nodes[at].candidate.family
    }

    fn fits(&self, at: usize) -> bool {
        self.nodes[at].candidate.price.fits
    }

    fn seconds(&self, at: usize) -> f64 {
        self.nodes[at].candidate.price.seconds.value
    }

    /// How far the search went.
    fn searched(&self) -> Searched {
        let families = [Family::NdRange, Family::SingleWorkItem];
        let open = families.into_iter().flat_map(|family| {
            let to_beat = self.to_beat(family);
            let of_family = self.of_family(family);
            of_family.filter(move |&at| self.is_open(at, to_beat))
        });
        let floors = open.map(|at| self.nodes[at].floor);
        let is_wide = self.base.level >= 3;
        Searched {
            forms: self.nodes.len(),
            floor: floors.filter(|_| is_wide).reduce(f64::min),
        }
    }

    /// The forms that matter: the plain ones, those that no other beats in both time and area, and those
    /// that led to the fastest.
    fn finish(self, standard: usize) -> Found {
        let searched = self.searched();
        let mut kept: BTreeSet<usize> = (0..self.nodes.len())
            .filter(|&at| self.nodes[at].from.is_none())
            .collect();
        kept.extend(self.front());
        for family in [Family::NdRange, Family::SingleWorkItem] {
            let mut at = self.fastest(family);
            while let Some(node) = at {
                kept.insert(node);
                at = self.nodes[node].from;
            }
        }
        let index: BTreeMap<usize, usize> = kept.iter().copied().zip(0..).collect();
        let mut refused: BTreeMap<usize, Vec<Refused>> =
            kept.iter().map(|&at| (at, self.refused(at))).collect();
        let nodes = self.nodes.into_iter().enumerate();
        let nodes = nodes.filter(|(at, _)| index.contains_key(at));
        let candidates = nodes.map(|(at, node)| Candidate {
            refused: refused.remove(&at).unwrap_or_default(),
            from: node.from.and_then(|from| index.get(&from).copied()),
            ..node.candidate
        });
        Found {
            candidates: candidates.collect(),
            standard: index[&standard],
            searched,
        }
    }

    /// What is a step away from a form, and no better.
    fn refused(&self, at: usize) -> Vec<Refused> {
        let next = self.nodes.iter().filter(|node| node.from == Some(at));
        let next = next.map(|node| Refused {
            what: step(&self.nodes[at].candidate.label, &node.candidate.label),
            seconds: node.candidate.price.seconds.value,
            fits: node.candidate.price.fits,
        });
        next.filter(|next| !next.fits || next.seconds * GAIN > self.seconds(at))
            .collect()
    }

    /// The fastest form of a family that fits, the first of several.
    fn fastest(&self, family: Family) -> Option<usize> {
        let of_family = self.of_family(family);
        let fitting = of_family.filter(|&at| self.nodes[at].candidate.price.fits);
        fitting.min_by(|&a, &b| self.seconds(a).total_cmp(&self.seconds(b)))
    }

    /// The forms that fit, and for which no other is as fast and as small.
    fn front(&self) -> Vec<usize> {
        let fits = |at: &usize| self.nodes[*at].candidate.price.fits;
        let mut all: Vec<usize> = (0..self.nodes.len()).filter(fits).collect();
        let area = |at: usize| share_of(&self.nodes[at].candidate.price.area, self.pricing.board);
        all.sort_by(|&a, &b| {
            let faster = self.seconds(a).total_cmp(&self.seconds(b));
            faster.then(area(a).total_cmp(&area(b)))
        });
        let mut smallest = f64::MAX;
        all.retain(|&at| {
            let is_smaller = area(at) < smallest;
            smallest = smallest.min(area(at));
            is_smaller
        });
        all
    }
}
