//! What a form of a kernel costs: the passes make it, and the model prices it for each launch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fpgacc_device_passes::options::General;
use fpgacc_device_passes::pass::Pass;
use fpgacc_device_passes::passes::unroll::Factor;
use fpgacc_device_passes::passes::{self, coalesce, lockstep, promote, unroll};
use fpgacc_device_passes::pipeline::begun::Begun;
use fpgacc_device_passes::pipeline::{self, Pipeline, Report};
use fpgacc_device_passes::versions;
use fpgacc_frontend::ir::{FunctionId, Module};
use fpgacc_frontend::source::SourceMap;
use fpgacc_kernel_analysis::constant_memory::{self, argument_bytes};
use fpgacc_launch_facts::{Facts, Launch};
use fpgacc_performance_model::{
    self as model, Area, Assumed, Board, Estimate, Given, LaunchShape, Resources, TripOrigin,
    predict,
};
use fpgacc_runtime::contract::{LaunchContract, Steps};

use super::loop_names;
use super::profile::Profile;
use super::side_by_side;
use super::size::Size;
use super::variant::{Family, Part, Price};

/// The most different launches of a kernel that are priced one by one: it only bounds the time.
const MOST_SHAPES: usize = 8;
/// Launches in a loop of which nobody says how many: a guess.
const MANY: u64 = 100;
/// A larger form must be faster by this factor to be worth its area: a guess.
pub(super) const GAIN: f64 = 1.02;

/// The seconds of a launch of a kernel on a device that is no board, where a model knows them. The kernel is what the passes
/// made, under the contract that they made for it; the launch is the host's.
pub type Timer<'a> =
    dyn Fn(&Module, FunctionId, &LaunchContract, &Launch) -> Option<f64> + Sync + 'a;

/// A kernel, alone in its module, and where it will run.
pub struct Pricing<'a> {
    /// The module.
    pub module: Module,
    /// Its functions that others call: kernels among them are parts of the kernel, and have no price.
    pub called: &'a BTreeSet<FunctionId>,
    /// All launch facts.
    pub facts: &'a Facts,
    /// The board.
    pub board: &'a Board,
    /// See [`super::Request::fp_relaxed`].
    pub fp_relaxed: bool,
    /// The texts that spans point into.
    pub sources: &'a SourceMap,
    /// What runs showed of it.
    pub profile: &'a Profile,
    /// What the kernel as it is takes of the device, once that was asked.
    pub general: OnceLock<Resources>,
    /// What forms have in common that was made, up to [`Pipeline::opening`].
    pub opened: Beginnings<'a>,
    /// The same, up to [`Pipeline::beginning`].
    pub begun: Beginnings<'a>,
}

/// What the first passes made for pipelines that begin alike; `None`: nothing is shared.
#[derive(Default)]
pub struct Beginnings<'f>(Mutex<Vec<(Pipeline, Beginning<'f>)>>);

type Beginning<'f> = Arc<OnceLock<Option<Begun<'f>>>>;

/// The most beginnings that are kept: it only bounds the memory.
const MOST_BEGUN: usize = 64;

impl<'f> Beginnings<'f> {
    /// That of a pipeline, which may have to be made.
    fn of(&self, beginning: Pipeline) -> Beginning<'f> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = all.iter().find(|(known, _)| *known == beginning) {
            return known.clone();
        }
        if all.len() == MOST_BEGUN {
            all.remove(0);
        }
        let new = Beginning::default();
        all.push((beginning, new.clone()));
        new
    }
}

/// What the passes make of a kernel.
struct Form {
    pipeline: Pipeline,
    module: Module,
    report: Report,
    changed: ChangedLoops,
    /// Whether it is also built as it is: asked for apart.
    general: General,
    asked: Asked,
}

/// What is asked of a form for the steps that may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    promotable: bool,
    lockstep: bool,
}

impl Asked {
    fn of(pipeline: &Pipeline) -> Self {
        let is_widest = pipeline.level >= 3;
        let promoted: &promote::Options = pipeline.options.of();
        let is_structure = promoted.most == 0 && pipeline.beginning() == *pipeline;
        Asked {
            promotable: is_widest && pipeline.runs(&passes::Promote) && is_structure,
            lockstep: is_widest && pipeline.runs(&passes::Lockstep),
        }
    }
}

impl Form {
    /// One of these forms that is this one.
    fn known_among<'m>(&self, mut priced: impl Iterator<Item = &'m Made>) -> Option<&'m Made> {
        priced.find(|made| {
            self.did(&made.report, &made.changed) && made.report.launches == self.report.launches
        })
    }

    fn is_made_like(&self, other: &Form) -> bool {
        self.general == other.general
            && self.did(&other.report, &other.changed)
            && self.report.launches == other.report.launches
    }

    /// Whether the passes did the same.
    fn did(&self, report: &Report, changed: &ChangedLoops) -> bool {
        self.changed == *changed && did_the_same(&self.report, report)
    }
}

/// The loops that passes were asked to change and changed, by their indices: what the passes say of two loops may be
/// the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ChangedLoops {
    unrolled: Vec<Factor>,
    coalesced: Vec<usize>,
    lockstep: Vec<usize>,
}

impl ChangedLoops {
    fn of(pipeline: &Pipeline, report: &Report) -> Self {
        let mut changed = ChangedLoops::default();
        if report.did(passes::LOCKSTEP)
            && let lockstep::Options::Some(indices) = pipeline.options.of()
        {
            changed.lockstep = indices.iter().copied().collect();
        }
        if report.did(passes::Unroll.name()) {
            let options: &unroll::Options = pipeline.options.of();
            changed.unrolled.clone_from(&options.factors);
        }
        if report.did(passes::Coalesce.name()) {
            let options: &coalesce::Options = pipeline.options.of();
            changed.coalesced.clone_from(&options.nests);
            changed.coalesced.sort_unstable();
        }
        changed
    }
}

fn did_the_same(report: &Report, other: &Report) -> bool {
    report.rewrites().eq(other.rewrites()) && report.contracts == other.contracts
}

/// A form that was made, and what it costs.
#[derive(Clone)]
pub struct Made {
    /// What it costs.
    pub price: Price,
    /// Its family.
    pub family: Family,
    /// What the passes did.
    pub report: Report,
    /// Which loops they changed.
    changed: ChangedLoops,
    /// Loops that may be unrolled, of its first version.
    pub loops: Vec<unroll::Candidate>,
    /// Loops that may be unrolled where those inside them are unrolled whole.
    pub nested: Vec<unroll::Nested>,
    /// What may be loaded once before loops, of its first version.
    pub promotable: Vec<promote::Candidate>,
    /// What was asked.
    asked: Asked,
    /// Whether launches of it follow each other with two buffers exchanged.
    pub has_rows: bool,
    /// Whether loops follow each other in it that may run equally often, in its first version.
    pub has_pairs: bool,
    /// Whether there are loops in it that may be wavefronts, in its first version.
    pub has_waves: bool,
    /// Loops that are unrolled, by name, and copies of them.
    pub unrolled: Vec<(String, u64)>,
    /// Loops whose iterations work-groups may go through together, of its first version.
    pub lockstep: Vec<lockstep::Candidate>,
    /// Loops that they do go through together, by name.
    pub together: Vec<String>,
    /// Nests that may become one loop, of its first version.
    pub nests: Vec<coalesce::Candidate>,
    /// Nests that did, by the names of their outermost loops.
    pub coalesced: Vec<String>,
}

impl Made {
    /// What was priced for a launch, with the copies that unrolling makes.
    pub fn priced_size(&self) -> Size {
        let first = self.price.parts.first();
        first.map_or(Size::default(), |part| Size::of(&part.prediction))
    }

    /// See [`model::Prediction::parts_in_loops`].
    pub fn parts_in_loops(&self) -> &[f64] {
        let first = self.price.parts.first();
        first.map_or(&[], |part| &part.prediction.parts_in_loops)
    }

    /// The part of the time of all launches for which external memory is busy.
    pub fn memory_part(&self) -> f64 {
        let parts = self.price.parts.iter();
        let busy: f64 = parts
            .map(|part| part.prediction.memory_seconds * part.count)
            .sum();
        busy / self.price.seconds.value
    }

    /// Whether the passes did the same for another one, so that they are one form.
    pub fn is_like(&self, other: &Made) -> bool {
        self.changed == other.changed && did_the_same(&self.report, &other.report)
    }
}

impl Pricing<'_> {
    /// Makes a form and prices it, unless it is one of those that are priced.
    pub fn make<'m>(&self, pipeline: &Pipeline, priced: impl Iterator<Item = &'m Made>) -> Made {
        let form = self.rewrite(pipeline);
        match form.known_among(priced) {
            Some(known) => self.made_like(form, known),
            None => {
                let price = self.price(&form);
                self.made(form, price)
            }
        }
    }

    /// Makes a form and prices it, also by the model of another device.
    pub fn make_timed(&self, pipeline: &Pipeline, timer: &Timer<'_>) -> (Made, Option<f64>) {
        let form = self.rewrite(pipeline);
        let price = self.price(&form);
        let elsewhere = self.elsewhere(&form, timer);
        (self.made(form, price), elsewhere)
    }

    /// The seconds of all launches of a form on another device; `None`: those of one are not known.
    fn elsewhere(&self, form: &Form, timer: &Timer<'_>) -> Option<f64> {
        let Form { module, report, .. } = form;
        let mut seconds = 0.0;
        for kernel in self.versions(module).collect::<Vec<_>>() {
            let version = &module.functions[kernel].name;
            let contract = report.contracts.get(version).cloned().unwrap_or_default();
            for &index in report.launches.get(version).into_iter().flatten() {
                let launch = &self.facts.launches[index];
                seconds += times(launch) * timer(module, kernel, &contract, launch)?;
            }
        }
        (seconds > 0.0).then_some(seconds)
    }

    /// Makes and prices forms, several at a time; those that are one form are priced once, and those that are one of
    /// those that are priced not again.
    pub fn make_all<'m>(
        &self,
        pipelines: &[Pipeline],
        priced: impl Iterator<Item = &'m Made> + Clone,
    ) -> Vec<Made> {
        let forms = side_by_side::map(pipelines, |pipeline| self.rewrite(pipeline));
        let known = forms.iter().map(|form| form.known_among(priced.clone()));
        let known: Vec<Option<&Made>> = known.collect();
        let first = |at: usize| {
            let is_same = |other: &Form| other.is_made_like(&forms[at]);
            forms.iter().position(is_same).unwrap_or(at)
        };
        let firsts: Vec<usize> = (0..forms.len()).map(first).collect();
        let is_new = |at: &usize| known[*at].is_none() && firsts[*at] == *at;
        let own: Vec<usize> = (0..forms.len()).filter(is_new).collect();
        let prices = side_by_side::map(&own, |&at| self.price(&forms[at]));
        let of: BTreeMap<usize, Price> = own.into_iter().zip(prices).collect();
        let forms = forms.into_iter().zip(firsts).zip(known);
        let made = forms.map(|((form, first), known)| match known {
            Some(known) => self.made_like(form, known),
            None => self.made(form, of[&first].clone()),
        });
        made.collect()
    }

    /// Makes a form.
    fn rewrite(&self, pipeline: &Pipeline) -> Form {
        let mut pipeline = pipeline.clone();
        // The copy that relies on nothing is there for launches that are not expected: it costs area only.
        let general = std::mem::replace(&mut pipeline.options.general, General::Never);
        let (module, report) = self.run(&pipeline);
        Form {
            asked: Asked::of(&pipeline),
            changed: ChangedLoops::of(&pipeline, &report),
            pipeline,
            module,
            report,
            general: general.of_boards(),
        }
    }

    /// Runs the passes.
    fn run(&self, pipeline: &Pipeline) -> (Module, Report) {
        let beginning = pipeline.beginning();
        let begun = self.begun.of(beginning.clone());
        let begun = begun.get_or_init(|| {
            let opening = beginning.opening();
            let opened = self.opened.of(opening.clone());
            let open = || Begun::new(&self.module, self.facts, &opening);
            let opened = opened.get_or_init(open).as_ref()?;
            Some(opened.go_on(&beginning))
        });
        if let Some(begun) = begun {
            return begun.end(pipeline);
        }
        let mut module = self.module.clone();
        let report = pipeline::run(&mut module, self.facts, pipeline);
        (module, report)
    }

    /// The same as a form that is known: what may be done next is the same, too.
    fn made_like(&self, form: Form, known: &Made) -> Made {
        if form.asked != known.asked {
            return self.made(form, known.price.clone());
        }
        Made {
            report: form.report,
            ..known.clone()
        }
    }

    fn made(&self, form: Form, price: Price) -> Made {
        let Form {
            pipeline,
            module,
            report,
            changed,
            asked,
            ..
        } = form;
        let is_widest = pipeline.level >= 3;
        let first = price.parts.first().map(|part| part.prediction.form);
        let kernel = self.versions(&module).next();
        let function = kernel.map(|kernel| &module.functions[kernel]);
        // No pass that runs after these two changes which loops there are.
        let named = function.map(|function| loop_names::names(function, self.sources));
        let name = |at: usize| named.as_ref()?.get(at).cloned();
        let unrolled = changed.unrolled.iter();
        let unrolled = unrolled.filter_map(|one| Some((name(one.index)?, one.copies)));
        let together = changed.lockstep.iter().filter_map(|at| name(*at));
        let coalesced = changed.coalesced.iter().filter_map(|at| name(*at));
        let mut launches = report.launches.values().flatten();
        let has_rows = launches.any(|at| self.facts.launches[*at].has_rows());
        Made {
            price,
            family: match first {
                Some(model::Form::SingleWorkItem) => Family::SingleWorkItem,
                _ => Family::NdRange,
            },
            report,
            loops: function
                .map(|function| unroll::candidates(&module, function))
                .unwrap_or_default(),
            nested: function
                .filter(|_| is_widest)
                .map(|function| unroll::nested(&module, function))
                .unwrap_or_default(),
            promotable: kernel
                .filter(|_| asked.promotable)
                .map(|kernel| promote::candidates(&module, kernel))
                .unwrap_or_default(),
            asked,
            has_rows,
            has_pairs: function.is_some_and(passes::has_pairs),
            has_waves: function.is_some_and(passes::has_waves),
            unrolled: unrolled.collect(),
            lockstep: kernel
                .filter(|_| asked.lockstep)
                .map(|kernel| lockstep::candidates(&module, kernel))
                .unwrap_or_default(),
            together: together.collect(),
            nests: function
                .map(|function| coalesce::candidates(&module, function))
                .unwrap_or_default(),
            coalesced: coalesced.collect(),
            changed,
        }
    }

    /// The kernel and its versions.
    fn versions<'m>(&self, module: &'m Module) -> impl Iterator<Item = FunctionId> + use<'m, '_> {
        let called = self.called;
        module.kernels().filter(move |id| !called.contains(id))
    }

    /// The price of all versions of a kernel.
    fn price(&self, form: &Form) -> Price {
        let (module, report) = (&form.module, &form.report);
        let mut price = Price {
            seconds: Estimate::exact(0.0),
            area: Resources::default(),
            fits: true,
            parts: Vec::new(),
        };
        for kernel in self.versions(module).collect::<Vec<_>>() {
            let parts = self.parts(module, kernel, report);
            if let Some(Part { prediction, .. }) = parts.first() {
                price.area = price.area.plus(resources(&prediction.area), 1.0);
            }
            for part in &parts {
                price.seconds = price.seconds + part.prediction.seconds * part.count;
                price.fits &= part.prediction.fits;
            }
            price.parts.extend(parts);
        }
        if self.needs_general(report, form.general) {
            price.area = price.area.plus(*self.general_area(), 1.0);
        }
        price.fits &= fits(&price.area, self.board);
        price
    }

    /// Whether a form that was made is built beside the kernel as it is.
    fn needs_general(&self, report: &Report, general: General) -> bool {
        let mut kernels = report.contracts.iter();
        kernels.any(|(name, contract)| {
            let is_assumed = report.assumed.contains_key(name);
            versions::needs_general(general, Some(contract), is_assumed)
        })
    }

    /// What the kernel as it is takes of the device.
    fn general_area(&self) -> &Resources {
        self.general.get_or_init(|| {
            let kernels = self.versions(&self.module).collect::<Vec<_>>();
            let untouched = Report::default();
            let parts = kernels
                .iter()
                .flat_map(|kernel| self.parts(&self.module, *kernel, &untouched));
            let areas = parts.map(|part| resources(&part.prediction.area));
            areas.fold(Resources::default(), |sum, area| sum.plus(area, 1.0))
        })
    }

    /// A version of the kernel at each of its launches.
    fn parts(&self, module: &Module, kernel: FunctionId, report: &Report) -> Vec<Part> {
        let version = module.functions[kernel].name.clone();
        let contract = report.contracts.get(&version).cloned().unwrap_or_default();
        let launches = report.launches.get(&version).map_or(&[][..], Vec::as_slice);
        let shapes = self.shapes(launches, contract.steps());
        let part = |(mut shape, launch, count): (LaunchShape, Option<usize>, f64)| {
            shape.trips.clone_from(&self.profile.trips);
            shape.branches.clone_from(&self.profile.branches);
            shape.fp_relaxed = self.fp_relaxed;
            let mut prediction = predict(module, kernel, self.board, &shape, &contract);
            let host = launch.map(|at| &self.facts.launches[at]);
            let row = host.and_then(|host| in_a_row(host, contract.steps()));
            if row.is_some_and(|row| row.launches.is_none()) {
                prediction.assumed.push(Assumed {
                    what: format!("it is launched {MANY} times in a row"),
                    remedy: "a recorded run shows it (fpgacc trace)",
                    span: None,
                });
            }
            Part {
                version: version.clone(),
                launch,
                count,
                prediction,
            }
        };
        // Launches that differ in what the model does not look at are one to the reader.
        let mut parts: Vec<Part> = Vec::new();
        for new in shapes.into_iter().map(part) {
            let same = parts
                .iter_mut()
                .find(|known| known.prediction == new.prediction);
            match same {
                Some(known) => known.count += new.count,
                None => parts.push(new),
            }
        }
        parts
    }

    /// Bytes of the arguments of a launch that a cache may hold.
    fn tables(&self, launch: &Launch) -> BTreeMap<u32, u64> {
        let arguments = launch.args.iter().filter_map(|arg| {
            let bytes = argument_bytes(self.facts, launch, arg.index)?;
            (bytes > 0 && bytes <= constant_memory::MOST).then_some((arg.index, bytes))
        });
        arguments.collect()
    }

    /// The different launches among these, each with its first and how many there are, where several in a row may be
    /// one.
    fn shapes(
        &self,
        launches: &[usize],
        steps: Option<Steps>,
    ) -> Vec<(LaunchShape, Option<usize>, f64)> {
        let mut shapes: Vec<(LaunchShape, Option<usize>, f64)> = Vec::new();
        for &index in launches {
            let launch = &self.facts.launches[index];
            let mut shape = with_sizes(LaunchShape::of(&[launch]), launch.work_dim.constant());
            shape.bytes = self.tables(launch);
            let count = runs(launch, steps);
            match shapes.iter_mut().find(|(known, ..)| *known == shape) {
                Some((.., times)) => *times += count,
                None => shapes.push((shape, Some(index), count)),
            }
        }
        shapes.truncate(MOST_SHAPES);
        if shapes.is_empty() {
            shapes.push((with_sizes(LaunchShape::default(), None), None, 1.0));
        }
        shapes
    }
}

/// Global and local sizes of launches of which nothing is known, by their dimensions: guesses, all of the same number of
/// work-items, in groups of 256, for which aoc builds kernels that name no size.
const ONE_DIMENSION: ([f64; 3], [f64; 3]) = ([65536.0, 1.0, 1.0], [256.0, 1.0, 1.0]);
const TWO_DIMENSIONS: ([f64; 3], [f64; 3]) = ([256.0, 256.0, 1.0], [16.0, 16.0, 1.0]);
const THREE_DIMENSIONS: ([f64; 3], [f64; 3]) = ([64.0, 32.0, 32.0], [8.0, 8.0, 4.0]);

/// A launch with sizes where it has none that are known: all forms are priced for the same.
fn with_sizes(mut shape: LaunchShape, work_dim: Option<u64>) -> LaunchShape {
    let (global, local) = match work_dim {
        Some(2) => TWO_DIMENSIONS,
        Some(3) => THREE_DIMENSIONS,
        _ => ONE_DIMENSION,
    };
    let origin = TripOrigin::Assumed;
    for dim in 0..3 {
        let value = global[dim];
        let global = *shape.global[dim].get_or_insert(Given { value, origin });
        // A group is no larger than the launch.
        let value = local[dim].min(global.value);
        shape.local[dim].get_or_insert(Given { value, origin });
    }
    shape
}

/// How often a launch was seen, or as the loops around it say, or once.
fn times(launch: &Launch) -> f64 {
    let seen = launch.recorded.as_ref().map(|recorded| recorded.count);
    seen.or(launch.times).unwrap_or(1).max(1) as f64
}

/// Launches that follow each other, of which several may be one.
struct Row {
    steps: Steps,
    /// How many there are. `None`: a loop that does not say how often it goes round.
    launches: Option<u64>,
}

/// The row that a launch stands for, if it is one.
fn in_a_row(launch: &Launch, steps: Option<Steps>) -> Option<Row> {
    let steps = steps.filter(|steps| launch.exchanges(steps.from, steps.to))?;
    let launches = Some(times(launch) as u64).filter(|launches| *launches > 1);
    Some(Row { steps, launches })
}

/// How often a kernel runs for that.
fn runs(launch: &Launch, steps: Option<Steps>) -> f64 {
    match in_a_row(launch, steps) {
        Some(Row { steps, launches }) => match launches {
            Some(launches) => steps.runs(launches) as f64,
            // Such a loop goes round often.
            None => steps.runs(MANY) as f64 / MANY as f64,
        },
        None => times(launch),
    }
}

/// Areas without their uncertainty.
fn resources(area: &Area) -> Resources {
    Resources {
        alut: area.alut.value,
        ff: area.ff.value,
        ram: area.ram.value,
        dsp: area.dsp.value,
    }
}

/// Whether so much is left of the board's device beside its interface.
pub fn fits(area: &Resources, board: &Board) -> bool {
    share_of(area, board) <= 1.0
}

/// The largest part of any resource of the device, beside the board's interface, that this takes.
pub fn share_of(area: &Resources, board: &Board) -> f64 {
    let (all, taken) = (&board.device, &board.interface);
    let parts = [
        area.alut / (all.alut - taken.alut),
        area.ff / (all.ff - taken.ff),
        area.ram / (all.ram - taken.ram),
        area.dsp / (all.dsp - taken.dsp),
    ];
    parts.into_iter().fold(0.0, f64::max)
}
