//! Running passes over a module.

pub mod begun;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{FileNames, FunctionId, Module};
use fpgacc_kernel_analysis::accesses::Summaries;
use fpgacc_kernel_analysis::alias::called_functions;
use fpgacc_kernel_analysis::calls::talks_to_kernels;
use fpgacc_kernel_analysis::constant_memory::Launches;
use fpgacc_kernel_analysis::geometry::{Geometry, LocalGeometry};
use fpgacc_launch_facts::{Facts, Known, Launch};

use crate::options::Feature;
use crate::options::{General, PassOptions};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::passes;
use crate::passes::constant_memory::{self, ConstantMemory};
use crate::passes::specialise::{self, Specialise};
use crate::remark::{Kind, Remark};
use crate::requirement::{Unmet, unmet};
use crate::versions::launch_classes::{LaunchClass, launch_classes};
use crate::versions::{self, Versions, assumed};

/// The name of remarks on versions that rely on nothing.
pub const GENERAL: &str = "general";

/// Which passes run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// `--kernel-opt`: 0 to 3.
    pub level: u8,
    /// `-f<pass>` (true) and `-fno-<pass>` (false), by name.
    pub switches: BTreeMap<String, bool>,
    /// Choices.
    pub options: PassOptions,
    /// Stop after this pass (`--emit=kernels` after any pass).
    pub stop_after: Option<String>,
}

impl Pipeline {
    /// Whether kernels that are launched in different ways get a version for each.
    fn makes_versions(&self) -> bool {
        self.level >= 2 && !self.options.one_version && self.runs(&Specialise)
    }

    /// Whether a pass is on and none that it all ends with stands before it.
    fn reaches(&self, pass: &dyn Pass) -> bool {
        let index = |name: &str| passes::ALL.iter().position(|pass| pass.name() == name);
        let last = self.stop_after.as_deref().and_then(index);
        let is_after = last.is_some_and(|last| index(pass.name()) > Some(last));
        self.runs(pass) && !is_after
    }

    /// Whether a pass is on.
    pub fn runs(&self, pass: &dyn Pass) -> bool {
        let by_level = self.level >= pass.about().level;
        self.switches.get(pass.name()).copied().unwrap_or(by_level)
    }

    /// Leaves out passes that write what the tool that builds the kernels does not know, but for those that
    /// a user switched on.
    pub fn build_with(&mut self, knows: impl Fn(Feature) -> bool) {
        for pass in passes::ALL {
            let is_asked_for = self.switches.get(pass.name()) == Some(&true);
            for requirement in pass.about().requires {
                if let Requirement::Tool(feature) = *requirement
                    && !is_asked_for
                    && !knows(feature)
                {
                    self.options.unknown_to_tool.insert(feature);
                }
            }
        }
    }
}

/// The name of a pass that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no pass '{name}'{}", .nearest.map(|n| format!("; did you mean '{n}'?")).unwrap_or_default())]
pub struct UnknownPass {
    /// As given.
    pub name: String,
    /// A pass whose name is close to it.
    pub nearest: Option<&'static str>,
}

/// The pass with this name.
///
/// # Errors
/// There is none.
pub fn find_pass(name: &str) -> Result<&'static dyn Pass, UnknownPass> {
    let found = passes::ALL.iter().find(|pass| pass.name() == name);
    found.copied().ok_or_else(|| UnknownPass {
        name: name.to_string(),
        nearest: nearest_pass(name),
    })
}

/// The pass that someone who wrote `name` may have meant: at most every third letter is wrong. For
/// `-f` flags, which cc has too: one that is close to no pass is cc's.
pub fn nearest_pass(name: &str) -> Option<&'static str> {
    passes::ALL
        .iter()
        .map(|pass| (strsim::levenshtein(name, pass.name()), pass.name()))
        .filter(|(distance, pass)| distance * 3 <= pass.len())
        .min()
        .map(|(_, pass)| pass)
}

/// The text of `--print-passes`: the passes in the order in which they run, with the lowest level
/// at which each is on.
pub fn list_passes() -> String {
    let width = passes::ALL.iter().map(|pass| pass.name().len()).max();
    let mut text = String::new();
    for pass in passes::ALL {
        let About {
            name,
            description,
            level,
            ..
        } = pass.about();
        let width = width.unwrap_or(0);
        text += &format!("{name:width$}  --kernel-opt={level}  {description}\n");
    }
    text
}

/// What the pipeline did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each kernel, by name, what the runtime must do.
    pub contracts: BTreeMap<String, LaunchContract>,
    /// For each kernel, by name, the passes that rewrote it, with their notes.
    pub done: BTreeMap<String, Vec<(&'static str, Note)>>,
    /// What was done and what was missed, in the order in which the passes ran.
    pub remarks: Vec<Remark>,
    /// The versions that kernels have now.
    pub versions: Versions,
    /// What a kernel, by name, relies on that is not proved, as text.
    pub assumed: BTreeMap<String, String>,
    /// The launches of each kernel and version, by their indices in the facts.
    pub launches: BTreeMap<String, Vec<usize>>,
}

impl Report {
    /// The notes on each kernel, or version of one, that passes rewrote.
    pub fn rewrites(&self) -> impl Iterator<Item = (&String, &Vec<(&'static str, Note)>)> {
        self.done.iter().filter(|(_, notes)| !notes.is_empty())
    }

    /// Whether a pass rewrote a kernel or a version.
    pub fn did(&self, name: &str) -> bool {
        let mut done = self.done.values().flatten();
        done.any(|(pass, _)| *pass == name)
    }

    /// The kernels and versions that are launched as one work-item.
    pub fn tasks(&self, module: &Module) -> BTreeSet<FunctionId> {
        let is_task = |id: &FunctionId| {
            let contract = self.contracts.get(&module.functions[*id].name);
            contract.is_some_and(LaunchContract::is_task)
        };
        module.kernels().filter(is_task).collect()
    }

    /// The kernels and versions that a pass rewrote.
    pub fn rewritten(&self, module: &Module) -> BTreeSet<FunctionId> {
        let is_rewritten = |id: &FunctionId| {
            let done = self.done.get(&module.functions[*id].name);
            done.is_some_and(|notes| !notes.is_empty())
        };
        module.kernels().filter(is_rewritten).collect()
    }

    /// The launches of each kernel and version among the facts that the passes ran with.
    pub fn launches_in<'f>(&self, facts: &'f Facts) -> Launches<'f> {
        let all = self.launches.iter().map(|(name, indices)| {
            let launches = indices.iter().map(|index| &facts.launches[*index]);
            (name.clone(), launches.collect())
        });
        all.collect()
    }
}

/// The launches of each kernel, in order. A launch whose kernel is unknown counts for every kernel.
pub fn launches_by_kernel<'f>(module: &Module, facts: &'f Facts) -> Launches<'f> {
    let kernels = module.kernels().map(|id| module.functions[id].name.clone());
    let mut launches: Launches<'f> = kernels.map(|name| (name, Vec::new())).collect();
    for launch in &facts.launches {
        match &launch.kernels {
            Known::Is(names) => {
                for name in names.iter().collect::<BTreeSet<_>>() {
                    if let Some(launches) = launches.get_mut(name) {
                        launches.push(launch);
                    }
                }
            }
            Known::Unknown(_) => launches.values_mut().for_each(|all| all.push(launch)),
        }
    }
    launches
}

/// A kernel, or a version of one, and how it is to be rewritten.
#[derive(Clone, Copy)]
struct Job<'a> {
    kernel: FunctionId,
    pipeline: &'a Pipeline,
}

/// The kernels that a pipeline gives several versions for different launches.
pub fn kernels_in_versions(
    module: &Module,
    facts: &Facts,
    pipeline: &Pipeline,
) -> BTreeSet<FunctionId> {
    let launches = launches_by_kernel(module, facts);
    let called = called_functions(module);
    let is_split = |kernel: &FunctionId| {
        let job = Job {
            kernel: *kernel,
            pipeline,
        };
        job.launch_classes(module, &called, &launches).is_some()
    };
    module.kernels().filter(is_split).collect()
}

/// The kernels with tables that may become `__constant`, if a pipeline does that.
pub fn kernels_with_tables(
    module: &Module,
    facts: &Facts,
    pipeline: &Pipeline,
) -> BTreeSet<FunctionId> {
    if !pipeline.runs(&ConstantMemory) {
        return BTreeSet::new();
    }
    let launches = launches_by_kernel(module, facts);
    let called = called_functions(module);
    let names = module.global_names();
    let has_tables = |kernel: &FunctionId| {
        let own = launches.get(&module.functions[*kernel].name);
        let own = own.map_or(&[][..], Vec::as_slice);
        let geometry = Geometry::of(own.iter().copied());
        let context = Context {
            kernel: &module.functions[*kernel].name,
            options: &pipeline.options,
            facts,
            geometry: &geometry,
            launches: own,
            all_launches: &launches,
            called: &called,
            names: &names,
            summaries: OnceCell::new(),
        };
        constant_memory::has_tables(module, *kernel, &context)
    };
    module.kernels().filter(has_tables).collect()
}

impl Job<'_> {
    /// The classes of the kernel's launches, if each gets a version.
    fn launch_classes<'f>(
        &self,
        module: &Module,
        called: &BTreeSet<FunctionId>,
        launches: &Launches<'f>,
    ) -> Option<Vec<LaunchClass<'f>>> {
        if called.contains(&self.kernel) || !self.pipeline.makes_versions() {
            return None;
        }
        let launches = launches.get(&module.functions[self.kernel].name)?;
        if talks_to_kernels(module, self.kernel) {
            return None;
        }
        let seen_counts = self.pipeline.options.general.seen_counts();
        launch_classes(module, self.kernel, launches, seen_counts)
    }
}

/// Gives kernels that are launched in different ways a version for each, and these their launches. All
/// kernels, with the new ones.
fn make_versions<'a>(
    module: &mut Module,
    jobs: Vec<Job<'a>>,
    called: &BTreeSet<FunctionId>,
    launches: &mut Launches<'_>,
    report: &mut Report,
) -> Vec<Job<'a>> {
    let mut all = Vec::new();
    for job in jobs {
        let classes = job.launch_classes(module, called, launches);
        let Job { kernel, pipeline } = job;
        all.push(job);
        let Some(classes) = classes else { continue };
        let function = &module.functions[kernel];
        let (name, span) = (function.name.clone(), function.span);
        let others = report.versions.add(module, kernel, classes.len() - 1);
        let mut words = Vec::new();
        let versions = std::iter::once((name.clone(), kernel)).chain(others);
        for ((version, id), class) in versions.zip(classes) {
            words.push(format!("'{version}' for {}", class.what));
            launches.insert(version, class.launches);
            if id != kernel {
                all.push(Job {
                    kernel: id,
                    pipeline,
                });
            }
        }
        let text = format!(
            "built in {} versions, of which the runtime takes the first whose facts hold: {}",
            words.len(),
            words.join("; ")
        );
        let note = Note::new(text, None).names_form(specialise::FORM);
        let pass = Specialise.name();
        let remark = Remark::new(Kind::Passed, pass, &name, &note, span);
        report.remarks.push(remark);
        report.done.entry(name).or_default().push((pass, note));
    }
    all
}

/// Runs the enabled passes over every kernel of a module, pass by pass.
pub fn run(module: &mut Module, facts: &Facts, pipeline: &Pipeline) -> Report {
    run_each(module, facts, pipeline, &BTreeMap::new())
}

/// The same, where some kernels, by name, have pipelines of their own.
pub fn run_each(
    module: &mut Module,
    facts: &Facts,
    pipeline: &Pipeline,
    own: &BTreeMap<String, Pipeline>,
) -> Report {
    let general = pipeline.options.general;
    let ends: BTreeSet<String> = ends_of_channels(module);
    if general != General::Assumed && ends.is_empty() {
        return run_all(module, facts, pipeline, own, |_| true);
    }
    // What a kernel will rely on is known when the passes have run, but the copies stand beside the
    // kernels meanwhile. Where there is nothing to copy nothing else changes.
    let original = module.clone();
    let report = run_all(module, facts, pipeline, own, |_| false);
    let needs = |kernel: &str, general| {
        let is_assumed = report.assumed.contains_key(kernel);
        versions::needs_general(general, report.contracts.get(kernel), is_assumed)
    };
    let kernels = report.contracts.keys().map(String::as_str);
    if !kernels.clone().any(|kernel| needs(kernel, general)) {
        return report;
    }
    *module = original;
    // A spare version is done without.
    let stays = kernels.filter(|&k| ends.contains(k) && needs(k, general.of_boards()));
    let stays: BTreeSet<&str> = stays.collect();
    let mut own = own.clone();
    own.extend(
        stays
            .iter()
            .map(|kernel| (kernel.to_string(), Pipeline::default())),
    );
    let is_copied = |kernel: &str| !ends.contains(kernel) && needs(kernel, general);
    let mut made = run_all(module, facts, pipeline, &own, is_copied);
    let why = |kernel: &str| report.assumed.get(kernel).cloned();
    let remarks = stays
        .iter()
        .map(|kernel| stays_remark(module, kernel, why(kernel)));
    made.remarks.extend(remarks);
    made
}

/// The kernels that read or write channels.
fn ends_of_channels(module: &Module) -> BTreeSet<String> {
    let ends = module.kernels().filter(|id| talks_to_kernels(module, *id));
    ends.map(|id| module.functions[id].name.clone()).collect()
}

/// Says that a kernel is left because there can be no general version of it beside a rewritten one.
fn stays_remark(module: &Module, kernel: &str, assumed: Option<String>) -> Remark {
    let relied = assumed.map(|what| format!(" ({what})")).unwrap_or_default();
    let text = format!(
        "stays as it is: rewritten, not all launches could take it{relied}, and a kernel that reads or writes \
         channels cannot be built a second time, as it is (--no-general rewrites it all the same)"
    );
    let id = module.function_named(kernel);
    let span = id.and_then(|id| module.functions[id].span);
    Remark::new(Kind::Missed, GENERAL, kernel, &Note::new(text, None), span)
}

/// Runs the enabled passes, with copies of some kernels that may need a general version.
fn run_all(
    module: &mut Module,
    facts: &Facts,
    pipeline: &Pipeline,
    own: &BTreeMap<String, Pipeline>,
    is_copied: impl Fn(&str) -> bool,
) -> Report {
    let jobs = module.kernels().map(|kernel| Job {
        kernel,
        pipeline: own.get(&module.functions[kernel].name).unwrap_or(pipeline),
    });
    let jobs: Vec<Job> = jobs.collect();
    let options = &pipeline.options;
    let (jobs, mut running) = Running::start(module, facts, jobs, options.general, is_copied);
    running.run(module, passes::ALL, &jobs);
    running.end(module, options)
}

/// What is known while passes run.
#[derive(Clone)]
struct Running<'f> {
    facts: &'f Facts,
    called: BTreeSet<FunctionId>,
    launches: Launches<'f>,
    names: FileNames,
    report: Report,
    /// What kernels and all that they call access, if a pass asked since the last one that rewrote something.
    summaries: BTreeMap<FunctionId, Summaries>,
}

impl<'f> Running<'f> {
    /// Makes the copies and versions of kernels. What is to run over which of them.
    fn start<'a>(
        module: &mut Module,
        facts: &'f Facts,
        jobs: Vec<Job<'a>>,
        general: General,
        is_copied: impl Fn(&str) -> bool,
    ) -> (Vec<Job<'a>>, Self) {
        let called = called_functions(module);
        let mut launches = launches_by_kernel(module, facts);
        let mut report = Report::default();
        if general != General::Never {
            report.versions.keep_general(module, is_copied);
        }
        let jobs = make_versions(module, jobs, &called, &mut launches, &mut report);
        for job in &jobs {
            let name = module.functions[job.kernel].name.clone();
            report.contracts.insert(name, LaunchContract::default());
        }
        let running = Running {
            facts,
            called,
            launches,
            names: module.global_names(),
            report,
            summaries: BTreeMap::new(),
        };
        (jobs, running)
    }

    /// Runs passes over all kernels, one pass after the other.
    fn run(&mut self, module: &mut Module, passes: &[&dyn Pass], jobs: &[Job<'_>]) {
        for pass in passes {
            for job in jobs.iter().filter(|job| job.pipeline.reaches(*pass)) {
                let scope = Scope {
                    facts: self.facts,
                    called: &self.called,
                    launches: &self.launches,
                    names: &self.names,
                };
                let known = (&mut self.report, &mut self.summaries);
                let added = run_pass(module, *pass, job, &scope, known);
                self.names.extend(added);
            }
        }
    }

    /// Drops the copies that nothing needs. What was done.
    fn end(self, module: &mut Module, options: &PassOptions) -> Report {
        let Running {
            facts,
            launches,
            mut report,
            ..
        } = self;
        let index = |launch: &&Launch| facts.launches.iter().position(|l| std::ptr::eq(l, *launch));
        let indices = launches.iter().map(|(name, all)| {
            let all = all.iter().filter_map(index).collect();
            (name.clone(), all)
        });
        report.launches = indices.collect();
        report.assumed = assumptions(module, facts, &launches, &report, options);
        let Report {
            contracts,
            assumed,
            versions,
            ..
        } = &mut report;
        let is_needed = |kernel: &str| {
            versions::needs_general(
                options.general,
                contracts.get(kernel),
                assumed.contains_key(kernel),
            )
        };
        versions.drop_unneeded(module, is_needed);
        if options.general == General::Spare {
            versions.note_spare(|kernel| assumed.contains_key(kernel));
        }
        report_general_versions(module, &mut report);
        report
    }
}

/// What kernels, in whatever version, rely on that is not proved: the first of it.
fn assumptions(
    module: &Module,
    facts: &Facts,
    launches: &Launches<'_>,
    report: &Report,
    options: &PassOptions,
) -> BTreeMap<String, String> {
    let mut assumed = BTreeMap::new();
    for kernel in module.kernels() {
        let function = &module.functions[kernel];
        let mut names = vec![function.name.clone()];
        names.extend(report.versions.of(&function.name));
        let of_version = |version: &String| {
            let contract = report.contracts.get(version)?;
            let launches = launches.get(version).map_or(&[][..], Vec::as_slice);
            assumed::assumption(function, contract, launches, facts, options)
        };
        if let Some(words) = names.iter().find_map(of_version) {
            assumed.insert(function.name.clone(), words);
        }
    }
    assumed
}

/// Says which kernels are also built as they are because of what is assumed.
fn report_general_versions(module: &Module, report: &mut Report) {
    for (kernel, assumed) in &report.assumed {
        let Some(version) = report.versions.general_of(kernel) else {
            continue;
        };
        let span = module.function_named(kernel);
        let span = span.and_then(|id| module.functions[id].span);
        let text = format!(
            "also built as it is ('{version}'), for launches in which what is assumed does not hold: \
             {assumed}; that takes area of its own (--no-general leaves it out)"
        );
        let note = Note::new(text, None);
        let remark = Remark::new(Kind::Passed, GENERAL, kernel, &note, span);
        report.remarks.push(remark);
    }
}

/// What passes of all kernels look at.
struct Scope<'a> {
    facts: &'a Facts,
    called: &'a BTreeSet<FunctionId>,
    launches: &'a Launches<'a>,
    names: &'a FileNames,
}

/// Runs a pass over a kernel. The names at file scope that it added.
fn run_pass(
    module: &mut Module,
    pass: &dyn Pass,
    job: &Job<'_>,
    scope: &Scope<'_>,
    (report, summaries): (&mut Report, &mut BTreeMap<FunctionId, Summaries>),
) -> Vec<String> {
    let kernel = job.kernel;
    let name = module.functions[kernel].name.clone();
    let span = module.functions[kernel].span;
    let functions = module.functions.len();
    let launches = scope.launches.get(&name).map_or(&[][..], Vec::as_slice);
    let contract = report.contracts.entry(name.clone()).or_default();
    let geometry = launched(launches, contract);
    let context = Context {
        kernel: report.versions.original(&name),
        options: &job.pipeline.options,
        facts: scope.facts,
        geometry: &geometry,
        launches,
        all_launches: scope.launches,
        called: scope.called,
        names: scope.names,
        summaries: summaries
            .remove(&kernel)
            .map_or_else(OnceCell::new, OnceCell::from),
    };
    let (done, missed) = match apply(module, pass, kernel, &context, contract) {
        Outcome::Done(done) => (done, Vec::new()),
        Outcome::Missed(missed) => (Vec::new(), missed),
        Outcome::Partly { done, missed } => (done, missed),
        Outcome::Nothing => (Vec::new(), Vec::new()),
    };
    // They hold until something is rewritten.
    match done.is_empty() {
        true => summaries.extend(context.summaries.into_inner().map(|known| (kernel, known))),
        false => summaries.clear(),
    }
    let mut remark_on = |notes: &[Note], kind| {
        let remarks = notes.iter();
        let remarks = remarks.map(|note| Remark::new(kind, pass.name(), &name, note, span));
        report.remarks.extend(remarks);
    };
    remark_on(&done, Kind::Passed);
    remark_on(&missed, Kind::Missed);
    let notes = done.into_iter().map(|note| (pass.name(), note));
    report.done.entry(name).or_default().extend(notes);
    // The only names at file scope that passes add are copies of functions.
    let added = module.functions.iter().skip(functions);
    added.map(|(_, function)| function.name.clone()).collect()
}

/// The launches of a kernel as the runtime makes them.
fn launched(launches: &[&Launch], contract: &LaunchContract) -> Geometry {
    let mut geometry = Geometry::of(launches.iter().copied());
    if !contract.local_sizes.is_empty() {
        let each = launches.iter().map(|launch| {
            let own = Geometry::of([*launch]);
            let [Some(x), Some(y), Some(z)] = own.global else {
                return LocalGeometry::Unknown;
            };
            match contract.chosen_local([x, y, z]) {
                Some(sizes) => LocalGeometry::Sizes(sizes.map(Some)),
                None => own.local,
            }
        });
        let all: Vec<LocalGeometry> = each.collect();
        geometry.local = LocalGeometry::over(all);
    }
    match contract.coarsened() {
        Some(coarsened) => geometry.coarsened(coarsened),
        None => geometry,
    }
}

/// Runs a pass over a kernel that it has work in and that is as it needs it.
fn apply(
    module: &mut Module,
    pass: &dyn Pass,
    kernel: FunctionId,
    context: &Context<'_>,
    contract: &mut LaunchContract,
) -> Outcome {
    if !pass.has_work(module, kernel, context) {
        return Outcome::Nothing;
    }
    match unmet(pass, module, kernel, context, contract) {
        None => pass.run(module, kernel, context, contract),
        Some(Unmet::OtherForm) => Outcome::Nothing,
        Some(Unmet::Reason(reason)) => {
            let text = format!("the pass does not run: {reason}");
            Outcome::Missed(vec![Note::new(text, None)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_pass_is_answered_with_the_nearest_one() {
        let unknown = find_pass("restrct").err().unwrap();
        assert_eq!(
            unknown.to_string(),
            "there is no pass 'restrct'; did you mean 'restrict'?"
        );
        assert_eq!(nearest_pass("reductions"), Some("reduction"));
        assert_eq!(find_pass("restrict").ok().unwrap().name(), "restrict");
    }

    #[test]
    fn flags_of_cc_are_close_to_no_pass() {
        for flag in ["PIC", "openmp", "inline", "strict-aliasing", "fast-math"] {
            assert_eq!(nearest_pass(flag), None, "{flag}");
        }
        let unknown = find_pass("PIC").err().unwrap();
        assert_eq!(unknown.to_string(), "there is no pass 'PIC'");
    }

    #[test]
    fn passes_stand_after_those_that_they_need() {
        for (at, pass) in passes::ALL.iter().enumerate() {
            for name in pass.about().after {
                let before = passes::ALL[..at].iter();
                let stands = before.filter(|other| other.name() == *name).count();
                assert_eq!(stands, 1, "{} after {name}", pass.name());
            }
        }
    }

    #[test]
    fn passes_are_listed_one_a_line_in_their_order() {
        let listed: Vec<_> = list_passes()
            .lines()
            .map(|line| line.split_whitespace().next().unwrap().to_string())
            .collect();
        let names: Vec<_> = passes::ALL.iter().map(|pass| pass.name()).collect();
        assert_eq!(listed, names);
    }
}
