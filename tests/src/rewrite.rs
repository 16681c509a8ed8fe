//! A job with its kernels rewritten, and launched as the runtime would launch them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fpgacc_aoc_wrappers::cc::{Compiler, Language, Source};
use fpgacc_device_passes::options::{General, PassOptions};
use fpgacc_device_passes::pass::LaunchContract;
use fpgacc_device_passes::passes::geometry::{self, ChosenLocal, LocalSizes, ProposedLocal};
use fpgacc_device_passes::passes::unroll::{self, Factor};
use fpgacc_device_passes::passes::{
    self, coalesce, coarsen, group_loop, lockstep, ndrange_to_loop, promote, replicate, vectorise,
    window,
};
use fpgacc_device_passes::pipeline::{Pipeline, Report, run};
use fpgacc_device_passes::remark::Remark;
use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::ir::{Dialect, Module, Scalar};
use fpgacc_frontend::kernel::{Input, LineDirectives, parse, predefined, print, validate};
use fpgacc_frontend::source::SourceMap;
use fpgacc_kernel_analysis::constant_memory::parameters;
use fpgacc_launch_facts::{
    Arg as FactArg, ArgValue, Buffer as FactBuffer, Facts, Launch as FactLaunch, LocalSize,
    Location, Value,
};
use fpgacc_runtime::guard::{Guard, Multiple};
use fpgacc_runtime::manifest::{Coarsened, Form};
use serde::{Deserialize, Serialize};

use crate::in_a_row::merged;
use crate::job::{Arg, Buffer, Geometry, Job, Launch};

/// What the passes know of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// Nothing: as if the host were unknown.
    Nothing,
    /// The number of dimensions, the local size, and which buffers are passed.
    Local,
    /// Everything.
    All,
}

/// Which passes run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewrites {
    /// One of them, by name.
    Only(String),
    /// All.
    All,
    /// All, and loops unrolled.
    Unrolled,
    /// All, with the loops over work-items of dimension 1 innermost, and coalesced loop nests.
    Coalesced,
    /// All, with kernels' own loops outside of those over work-items.
    Interchanged,
    /// All, and `fission`, which takes nests apart that others look for, and loops that were fused.
    Distributed,
    /// All, with loops over work-items that groups do not cut, windows that move on by so many elements, and
    /// so many iterations in vectors, if that is more than one.
    Ungrouped(u64),
    /// The same windows, for so many launches in a row.
    InARow(u64, u64),
    /// All but `ndrange-to-loop`, with barriers in loops.
    NdRange,
    /// All but `ndrange-to-loop`, with several work-items and groups at a time, and loops unrolled.
    Wide,
    /// All but `ndrange-to-loop`, coarsened like this (`--coarsen`); kernels are also built as they are,
    /// for launches that do not divide.
    Coarsened(String),
    /// The same with vectors of so many work-items (`--vectorise`), and coarsened besides.
    Vectorised(u64, Option<String>),
    /// All but `ndrange-to-loop`, launched with other local sizes where no work-item can observe them; kernels are also
    /// built as they are, as for `Coarsened`.
    Resized,
    /// The same local sizes, with vectors of so many work-items and coarsened like this, if that is asked for.
    Regrouped(Option<u64>, Option<String>),
    /// All but `ndrange-to-loop`, with groups in rounds of others like this (`-fgroup-loop`), and built as they are
    /// as well.
    GroupLoop(String),
}

impl Rewrites {
    /// Each pass alone, and all together.
    pub fn each_and_all() -> Vec<Self> {
        let each = passes::ALL.iter().map(|pass| pass.name().to_string());
        let together = [
            Rewrites::All,
            Rewrites::Coalesced,
            Rewrites::Interchanged,
            Rewrites::Distributed,
            Rewrites::NdRange,
            Rewrites::Wide,
            Rewrites::Coarsened("0:2".to_string()),
            Rewrites::Vectorised(4, None),
            Rewrites::Resized,
            Rewrites::Regrouped(None, Some("0:2".to_string())),
            Rewrites::GroupLoop("2".to_string()),
        ];
        each.map(Rewrites::Only).chain(together).collect()
    }

    fn pipeline(&self, options: &PassOptions, job: &Job) -> Pipeline {
        let mut options = options.clone();
        if matches!(self, Rewrites::Resized | Rewrites::Regrouped(..)) {
            options.of_mut::<geometry::Options>().local_sizes = Some(other_sizes(job));
        }
        *options.of_mut() = promote::Options::ON;
        if matches!(self, Rewrites::Unrolled | Rewrites::Wide) {
            let factors = (0..8).map(|index| Factor { index, copies: 3 }).collect();
            *options.of_mut() = unroll::Options { factors };
        }
        if matches!(self, Rewrites::Coalesced) {
            options.of_mut::<coalesce::Options>().nests = (0..8).collect();
            options.of_mut::<ndrange_to_loop::Options>().innermost = Some(1);
        }
        let is_alone = |pass| matches!(self, Rewrites::Only(name) if name == pass);
        let is_range = matches!(
            self,
            Rewrites::NdRange | Rewrites::Resized | Rewrites::Regrouped(..)
        );
        if is_range || is_alone(passes::LOCKSTEP) {
            *options.of_mut() = lockstep::Options::All;
        }
        let loops: &mut ndrange_to_loop::Options = options.of_mut();
        loops.interchange |= matches!(self, Rewrites::Interchanged);
        if let Rewrites::Ungrouped(lanes) = self {
            options.of_mut::<ndrange_to_loop::Options>().ungrouped = true;
            options.of_mut::<window::Options>().lanes = *lanes;
            options.of_mut::<vectorise::LoopOptions>().lanes = Some(*lanes).filter(|l| *l > 1);
        }
        if let Rewrites::InARow(lanes, steps) = self {
            options.of_mut::<ndrange_to_loop::Options>().ungrouped = true;
            options.of_mut::<window::Options>().lanes = *lanes;
            options.of_mut::<window::Options>().steps = *steps;
        }
        let (level, switches) = match self {
            Rewrites::All
            | Rewrites::InARow(..)
            | Rewrites::Unrolled
            | Rewrites::Coalesced
            | Rewrites::Interchanged
            | Rewrites::Ungrouped(_) => (3, BTreeMap::from([(passes::FISSION.to_string(), false)])),
            Rewrites::Distributed => (3, BTreeMap::new()),
            Rewrites::Only(name) => {
                if is_alone(passes::VECTORISE_LOOPS) {
                    let loops: &mut vectorise::LoopOptions = options.of_mut();
                    loops.lanes.get_or_insert(4);
                }
                (0, BTreeMap::from([(name.clone(), true)]))
            }
            Rewrites::NdRange => (3, without_loops()),
            Rewrites::Wide => {
                *options.of_mut() = replicate::Options { simd: 2, units: 3 };
                (3, without_loops())
            }
            Rewrites::Coarsened(how) => {
                options.of_mut::<coarsen::Options>().how = how.parse().ok();
                options.general = General::Always;
                (3, without_loops())
            }
            Rewrites::Vectorised(lanes, how) => {
                let (lanes, how) = (Some(*lanes), how.as_ref());
                *options.of_mut() = vectorise::Options { lanes };
                *options.of_mut() = vectorise::LoopOptions { lanes };
                options.of_mut::<coarsen::Options>().how = how.and_then(|how| how.parse().ok());
                options.general = General::Always;
                (3, without_loops())
            }
            Rewrites::Resized => {
                options.general = General::Always;
                (3, without_loops())
            }
            Rewrites::Regrouped(lanes, how) => {
                options.of_mut::<vectorise::Options>().lanes = *lanes;
                let how = how.as_ref().and_then(|how| how.parse().ok());
                options.of_mut::<coarsen::Options>().how = how;
                options.general = General::Always;
                (3, without_loops())
            }
            Rewrites::GroupLoop(how) => {
                options.of_mut::<group_loop::Options>().how = how.parse().ok();
                options.general = General::Always;
                (3, without_loops())
            }
        };
        Pipeline {
            level,
            switches,
            options,
            ..Pipeline::default()
        }
    }
}

/// Local sizes that the launches of a job do not have: long where the host's are short, and short where they
/// are long.
fn other_sizes(job: &Job) -> LocalSizes {
    let mut sizes = LocalSizes::default();
    for launch in &job.launches {
        let Some(global) = global_size(launch) else {
            continue;
        };
        let own = local_size(launch).unwrap_or([1; 3]);
        let mut most = 64;
        let local = [0, 1, 2].map(|dim| {
            let size = match own[dim] {
                1 => (1..=most)
                    .rev()
                    .find(|size| global[dim].is_multiple_of(*size)),
                _ => None,
            };
            let size = size.unwrap_or(1);
            most /= size;
            size
        });
        let of_kernel = sizes.kernels.entry(launch.kernel.clone()).or_default();
        of_kernel.push(ProposedLocal {
            sizes: ChosenLocal { global, local },
            gain: String::new(),
        });
    }
    sizes
}

/// The global size of a launch in all dimensions.
fn global_size(launch: &Launch) -> Option<[u64; 3]> {
    match &launch.geometry {
        Geometry::Range { global, .. } => {
            Some([0, 1, 2].map(|dim| global.get(dim).copied().unwrap_or(1)))
        }
        Geometry::Task => None,
    }
}

/// The launch with the local size that the runtime passes in place of the host's, if it does.
fn resized(launch: &Launch, contract: &LaunchContract) -> Launch {
    let mut launch = launch.clone();
    let chosen = global_size(&launch).and_then(|global| contract.chosen_local(global));
    if let (Some(chosen), Geometry::Range { global, local, .. }) = (chosen, &mut launch.geometry) {
        *local = chosen[..global.len()].to_vec();
    }
    launch
}

fn without_loops() -> BTreeMap<String, bool> {
    BTreeMap::from([(passes::NDRANGE_TO_LOOP.to_string(), false)])
}

impl std::fmt::Display for Rewrites {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rewrites::Only(name) => write!(f, "{name} alone"),
            Rewrites::All => write!(f, "all rewrites"),
            Rewrites::Unrolled => write!(f, "all rewrites, loops unrolled"),
            Rewrites::Coalesced => write!(
                f,
                "all rewrites, dimension 1 innermost, nested loops made one"
            ),
            Rewrites::Interchanged => write!(f, "all rewrites, kernels' loops outside"),
            Rewrites::Distributed => write!(f, "all rewrites, loops distributed"),
            Rewrites::Ungrouped(lanes) => {
                write!(
                    f,
                    "all rewrites, without groups, {lanes} elements at a time"
                )
            }
            Rewrites::InARow(lanes, steps) => write!(
                f,
                "all rewrites, without groups, {lanes} elements at a time, {steps} launches in a row"
            ),
            Rewrites::NdRange => write!(f, "NDRanges"),
            Rewrites::Wide => write!(f, "wide NDRanges"),
            Rewrites::Coarsened(how) => write!(f, "NDRanges coarsened by {how}"),
            Rewrites::Vectorised(lanes, None) => write!(f, "NDRanges in vectors of {lanes}"),
            Rewrites::Vectorised(lanes, Some(how)) => {
                write!(f, "NDRanges in vectors of {lanes}, coarsened by {how}")
            }
            Rewrites::GroupLoop(how) => write!(f, "NDRanges with groups in rounds, {how}"),
            Rewrites::Resized => write!(f, "NDRanges with other local sizes"),
            Rewrites::Regrouped(lanes, how) => {
                let lanes = lanes.map(|lanes| format!(", in vectors of {lanes}"));
                let how = how.as_ref().map(|how| format!(", coarsened by {how}"));
                let [lanes, how] = [lanes, how].map(Option::unwrap_or_default);
                write!(f, "NDRanges with other local sizes{lanes}{how}")
            }
        }
    }
}

/// A rewritten job.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// What to run.
    pub job: Job,
    /// What the passes say.
    pub remarks: Vec<Remark>,
    /// What the runtime must do and check, by kernel.
    pub contracts: BTreeMap<String, LaunchContract>,
    /// Kernels that were rewritten by some pass.
    pub fired: Vec<String>,
}

/// Why a job cannot be rewritten. All but the first are faults of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError {
    /// The text is wrong, or no C compiler is there to preprocess it.
    #[error("{0}")]
    Text(String),
    /// A pass left an invalid module.
    #[error("the rewritten module is not valid: {0}")]
    Invalid(String),
    /// A launch that the passes knew of breaks what the kernel relies on.
    #[error("kernel '{kernel}' relies on what its launches do not hold: {what}")]
    Contract {
        /// The kernel.
        kernel: String,
        /// What.
        what: String,
    },
}

/// Rewrites a job's kernels. `knowledge` says what the passes know of a kernel's launches; kernels that it
/// does not name are launched with nothing known.
///
/// # Errors
/// See [`RewriteError`].
pub fn rewrite(
    job: &Job,
    knowledge: impl Fn(&str) -> Knowledge,
    rewrites: &Rewrites,
    options: &PassOptions,
) -> Result<Rewritten, RewriteError> {
    rewrite_knowing(
        job,
        |launch| knowledge(&job.launches[launch].kernel),
        rewrites,
        options,
    )
}

/// As [`rewrite`], where `knowledge` says what the passes know of each launch, by its index. What they
/// make of some launches may not hold for others: with [`PassOptions::general`] there is a version
/// for these.
///
/// # Errors
/// See [`RewriteError`].
pub fn rewrite_knowing(
    job: &Job,
    knowledge: impl Fn(usize) -> Knowledge,
    rewrites: &Rewrites,
    options: &PassOptions,
) -> Result<Rewritten, RewriteError> {
    let mut sources = SourceMap::new();
    let mut module = module_of(job, &mut sources)?;
    let facts = facts(job, &module, &knowledge);
    let original = module.clone();
    let report = run(&mut module, &facts, &rewrites.pipeline(options, job));
    let valid = validate(&module).map_err(|faults| RewriteError::Invalid(format!("{faults:?}")))?;
    let text = print(&valid, &sources, LineDirectives::None);
    let mut rewritten = job.with_source(text);
    for launch in &mut rewritten.launches {
        let chosen = choose(job, launch, &report)?;
        check_constants(job, launch, &chosen, [&original, &module])?;
        check_alignment(job, launch, &chosen, &module)?;
        *launch = chosen;
    }
    let steps = |kernel: &str| report.contracts.get(kernel).and_then(LaunchContract::steps);
    rewritten.launches = merged(&rewritten.launches, steps);
    let fired = fired(&report);
    Ok(Rewritten {
        job: rewritten,
        remarks: report.remarks,
        fired,
        contracts: report.contracts,
    })
}

/// The launch of the first version of its kernel whose facts hold, as the runtime chooses it.
fn choose(job: &Job, launch: &Launch, report: &Report) -> Result<Launch, RewriteError> {
    let mut first = None;
    let others = report.versions.of(&launch.kernel);
    for name in std::iter::once(&launch.kernel).chain(&others) {
        let contract = report.contracts.get(name).cloned().unwrap_or_default();
        let launch = &resized(launch, &contract);
        let mut guards = contract.guards.iter();
        let checked = guards.try_for_each(|guard| check(job, launch, *guard));
        let chosen = checked.and_then(|()| match &contract.form {
            Form::Task(task) => {
                (launch.as_task(task, &contract.guards)).map_err(|error| error.to_string())
            }
            Form::NdRange => in_range(launch, &contract),
            Form::Coarsened(by) => {
                in_range(launch, &contract).and_then(|launch| coarsened(&launch, *by))
            }
        });
        match chosen {
            Ok(chosen) => {
                return Ok(Launch {
                    kernel: name.clone(),
                    ..chosen
                });
            }
            Err(what) => first = first.or(Some(what)),
        }
    }
    Err(RewriteError::Contract {
        kernel: launch.kernel.clone(),
        what: first.unwrap_or_default(),
    })
}

/// A launch over its NDRange, if that is as the kernel relies on.
fn in_range(launch: &Launch, contract: &LaunchContract) -> Result<Launch, String> {
    for guard in &contract.guards {
        if let Guard::Geometry(fact) = guard
            && !launch.holds(*fact)
        {
            return Err(format!("{fact:?} does not hold"));
        }
    }
    Ok(launch.clone())
}

/// The text of a job as the project's own printer writes it, one statement a line.
///
/// # Errors
/// The text is wrong.
pub fn normalised(job: &Job) -> Result<String, RewriteError> {
    let mut sources = SourceMap::new();
    let module = module_of(job, &mut sources)?;
    let valid = validate(&module).map_err(|faults| RewriteError::Invalid(format!("{faults:?}")))?;
    Ok(print(&valid, &sources, LineDirectives::None))
}

fn fired(report: &Report) -> Vec<String> {
    report
        .rewrites()
        .map(|(kernel, _)| kernel.clone())
        .collect()
}

/// The local size of a launch in all dimensions, if it gives one.
fn local_size(launch: &Launch) -> Option<[u64; 3]> {
    match &launch.geometry {
        Geometry::Range { local, .. } if !local.is_empty() => {
            Some([0, 1, 2].map(|dim| local.get(dim).copied().unwrap_or(1)))
        }
        _ => None,
    }
}

/// The launch of the coarsened kernel.
fn coarsened(launch: &Launch, by: Coarsened) -> Result<Launch, String> {
    let mut launch = launch.clone();
    let Geometry::Range { global, local, .. } = &mut launch.geometry else {
        return Err("a task is not coarsened".to_string());
    };
    for (dim, global) in global.iter_mut().enumerate() {
        let (by_global, by_local) = by.divides(dim);
        *global /= by_global;
        if let Some(size) = local.get_mut(dim) {
            *size /= by_local;
        }
    }
    Ok(launch)
}

/// Whether a launch has what a coarsened kernel divides.
fn check_multiple(launch: &Launch, multiple: Multiple) -> Result<(), String> {
    let Geometry::Range { global, local, .. } = &launch.geometry else {
        return Err("a task is one work-item".to_string());
    };
    let dim = usize::from(multiple.dim);
    let global = global.get(dim).copied().unwrap_or(1);
    let size = match local.get(dim) {
        Some(local) if multiple.of_groups => global / local,
        Some(local) => *local,
        None if local.is_empty() && multiple.null_local => global,
        None if local.is_empty() => return Err("there is no local size".to_string()),
        None => 1,
    };
    match size % multiple.of {
        0 => Ok(()),
        _ => Err(format!("{} does not divide {size}", multiple.of)),
    }
}

/// What the runtime would check besides the geometry of single work-items.
fn check(job: &Job, launch: &Launch, guard: Guard) -> Result<(), String> {
    let passed = |index: u32| launch.args.get(index as usize);
    let buffer = |index| passed_buffer(job, launch, index);
    match guard {
        // `Launch::as_task` and `Launch::holds` look at these.
        Guard::Geometry(_) | Guard::IntLoops | Guard::GroupSize(_) => {}
        Guard::LocalSize(size) => {
            if local_size(launch) != Some(size) {
                return Err(format!("the local size is not {size:?}"));
            }
        }
        Guard::Multiple(multiple) => return check_multiple(launch, multiple),
        Guard::Distinct(a, b) => {
            if let [Some(Arg::Buffer(x)), Some(Arg::Buffer(y))] = [a, b].map(passed)
                && x == y
            {
                return Err(format!("arguments {a} and {b} are the same buffer"));
            }
        }
        Guard::Constant { param, bytes } => {
            let is_constant =
                |b: &Buffer| b.read_only && b.in_host.is_none() && b.bytes as u64 <= bytes;
            if !buffer(param).is_some_and(is_constant) {
                return Err(format!(
                    "argument {param} is no buffer of at most {bytes} bytes that is only read"
                ));
            }
        }
        Guard::Aligned { param, bytes } => {
            if !buffer(param).is_some_and(|buffer| buffer.is_aligned_to(bytes)) {
                return Err(format!("argument {param} is not aligned to {bytes} bytes"));
            }
        }
        Guard::LocalBytes { param, bytes: most } => {
            if let Some(Arg::Local(bytes)) = passed(param)
                && *bytes as u64 > most
            {
                return Err(format!(
                    "argument {param} has {bytes} bytes of local memory, but the kernel holds {most}"
                ));
            }
        }
        Guard::Scalar(fact) => {
            let Some(Arg::Value(bytes)) = passed(fact.param) else {
                return Err(format!("argument {} is no scalar", fact.param));
            };
            if bytes.len() != usize::from(fact.size) || number(bytes) != Some(fact.bits) {
                return Err(format!("argument {} is not {fact}", fact.param));
            }
        }
    }
    Ok(())
}

fn passed_buffer<'j>(job: &'j Job, launch: &Launch, index: u32) -> Option<&'j Buffer> {
    match launch.args.get(index as usize)? {
        Arg::Buffer(number) => job.buffers.get(*number),
        _ => None,
    }
}

/// Whether a launch passes what may be constant memory as each parameter that the passes made `__constant`,
/// whatever they say that they rely on.
fn check_constants(
    job: &Job,
    launch: &Launch,
    chosen: &Launch,
    [original, rewritten]: [&Module; 2],
) -> Result<(), RewriteError> {
    let constants = |module: &Module, kernel: &str| {
        let function = module.function_named(kernel);
        function.map_or(Vec::new(), |id| parameters(module, &module.functions[id]))
    };
    let before = constants(original, &launch.kernel);
    let mut made = constants(rewritten, &chosen.kernel).into_iter();
    let wrong = made.find(|index| {
        let buffer = passed_buffer(job, launch, *index);
        !before.contains(index)
            && buffer.is_some_and(|b| !b.read_only || b.bytes > SMALLEST_CONSTANT_BUFFER)
    });
    match wrong {
        None => Ok(()),
        Some(index) => Err(RewriteError::Contract {
            kernel: chosen.kernel.clone(),
            what: format!("argument {index} is constant memory, and its buffer cannot be"),
        }),
    }
}

/// Whether a launch passes memory that is aligned as the kernel states of its parameters, whatever the passes
/// say that they rely on.
fn check_alignment(
    job: &Job,
    launch: &Launch,
    chosen: &Launch,
    rewritten: &Module,
) -> Result<(), RewriteError> {
    let function = rewritten.function_named(&chosen.kernel);
    let Some(function) = function.map(|id| &rewritten.functions[id]) else {
        return Ok(());
    };
    for (index, var) in (0..).zip(&function.params) {
        let mut attrs = function.vars[*var].attrs.iter();
        let stated = attrs.find(|attr| attr.name == "align_value");
        let bytes = stated.and_then(|attr| attr.integers()?.first().copied());
        let buffer = passed_buffer(job, launch, index);
        if let (Some(bytes), Some(buffer)) = (bytes, buffer)
            && !buffer.is_aligned_to(bytes)
        {
            return Err(RewriteError::Contract {
                kernel: chosen.kernel.clone(),
                what: format!(
                    "argument {index} states {bytes} bytes of alignment, and lies elsewhere"
                ),
            });
        }
    }
    Ok(())
}

/// Bytes that each device takes as one constant argument: the least that OpenCL 1.2 allows for
/// `CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE`.
const SMALLEST_CONSTANT_BUFFER: usize = 65536;

/// The bytes of a scalar as a number.
fn number(bytes: &[u8]) -> Option<u64> {
    let mut all = [0; 8];
    all.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(all))
}

/// The job's text as a module.
///
/// # Errors
/// It is wrong.
pub fn module_of(job: &Job, sources: &mut SourceMap) -> Result<Module, RewriteError> {
    const NAME: &str = "kernels.cl";
    let text = |error: &dyn std::fmt::Display| RewriteError::Text(error.to_string());
    let words: Vec<&str> = job.options.split_whitespace().collect();
    let dialect = match words
        .iter()
        .any(|w| w.starts_with("-cl-std=CL2") || w.starts_with("-cl-std=CL3"))
    {
        true => Dialect::Cl20,
        false => Dialect::Cl12,
    };
    sources.add(NAME, job.source.as_str());
    let whole = format!(
        "{}#line 1 \"{NAME}\"\n{}",
        predefined(dialect, &words),
        job.source
    );
    let compiler = Compiler::find(Language::C).map_err(|error| text(&error))?;
    let made = compiler
        .preprocess_kernel(
            Source {
                path: NAME.as_ref(),
                text: Some(whole.as_bytes()),
            },
            &after(&words, "-D"),
            &after(&words, "-U"),
            &after(&words, "-I")
                .iter()
                .map(PathBuf::from)
                .collect::<Vec<_>>(),
        )
        .map_err(|error| text(&error))?;
    let input = Input::new(NAME, &made.text, dialect);
    parse(&input, sources).map_err(|error| {
        let lines = error.diagnostics().iter();
        RewriteError::Text(lines.map(|e| render(e, sources, Color::Never)).collect())
    })
}

/// The values of an option, joined to it or after it.
fn after(words: &[&str], option: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix(option) {
            Some("") => values.extend(rest.next().map(|value| (*value).to_string())),
            Some(value) => values.push(value.to_string()),
            None => {}
        }
    }
    values
}

/// What the passes know.
fn facts(job: &Job, module: &Module, knowledge: impl Fn(usize) -> Knowledge) -> Facts {
    let mut facts = Facts {
        buffers: (1..).zip(&job.buffers).map(fact_buffer).collect(),
        ..Facts::default()
    };
    for (number, launch) in job.launches.iter().enumerate() {
        let knowledge = knowledge(number);
        if knowledge != Knowledge::Nothing
            && let Some(fact) = fact(launch, module, number as u32 + 1, knowledge)
        {
            facts.launches.push(fact);
        }
    }
    facts
}

/// A buffer, by its number from 1.
fn fact_buffer((number, buffer): (u32, &Buffer)) -> FactBuffer {
    let access = match buffer.read_only {
        true => "READ_ONLY",
        false => "READ_WRITE",
    };
    let contents = match buffer.in_host {
        Some(_) => "USE_HOST_PTR",
        None => "COPY_HOST_PTR",
    };
    FactBuffer {
        use_host_ptr: buffer.in_host.is_some(),
        flags: Some([access, contents].map(str::to_string).to_vec()),
        size: Value::Const(buffer.bytes as u64),
        ..FactBuffer::of(
            Location::new("host.c", 1000 + number, 1),
            buffer_name(number as usize - 1),
        )
    }
}

fn buffer_name(number: usize) -> String {
    format!("buffer{number}")
}

fn fact(launch: &Launch, module: &Module, line: u32, knowledge: Knowledge) -> Option<FactLaunch> {
    let known = |value: &u64| match knowledge {
        Knowledge::All => Value::Const(*value),
        _ => Value::Unknown("not known".to_string()),
    };
    let (offset, global, local) = match &launch.geometry {
        Geometry::Task => (vec![], vec![1], vec![1]),
        Geometry::Range {
            offset,
            global,
            local,
        } => (offset.clone(), global.clone(), local.clone()),
    };
    let offset = match offset.is_empty() {
        true => vec![Value::Const(0); global.len()],
        false => offset.iter().map(known).collect(),
    };
    let site = Location::new("host.c", line, 1);
    Some(FactLaunch {
        work_dim: Value::Const(global.len() as u64),
        offset,
        global: global.iter().map(known).collect(),
        local: match local.is_empty() {
            true => LocalSize::Null,
            false => LocalSize::constants(local),
        },
        args: fact_args(launch, module, knowledge),
        ..FactLaunch::of(site, vec![launch.kernel.clone()])
    })
}

fn fact_args(launch: &Launch, module: &Module, knowledge: Knowledge) -> Vec<FactArg> {
    let function = module.function_named(&launch.kernel);
    let scalar = |index: usize| {
        let function = &module.functions[function?];
        let param = *function.params.get(index)?;
        module.types.as_scalar(function.vars[param].ty.ty)
    };
    let fact = |(index, arg): (usize, &Arg)| FactArg {
        index: index as u32,
        value: match arg {
            Arg::Buffer(number) => ArgValue::Memory(buffer_name(*number)),
            Arg::Local(bytes) => ArgValue::Local(Value::Const(*bytes as u64)),
            Arg::Value(bytes) if knowledge == Knowledge::All => fact_scalar(bytes, scalar(index)),
            Arg::Value(_) => ArgValue::Unknown("not known".to_string()),
        },
    };
    launch.args.iter().enumerate().map(fact).collect()
}

/// A scalar as the analysis of a host says it.
fn fact_scalar(bytes: &[u8], scalar: Option<Scalar>) -> ArgValue {
    let unknown = || ArgValue::Unknown("no number".to_string());
    match (scalar, number(bytes)) {
        (Some(Scalar::Float), Some(bits)) => {
            let value = f64::from(f32::from_bits(bits as u32));
            ArgValue::Scalar(Value::symbolic(format!("{value:?}f")))
        }
        (Some(Scalar::Double), Some(bits)) => {
            ArgValue::Scalar(Value::symbolic(format!("{:?}", f64::from_bits(bits))))
        }
        (Some(scalar), Some(bits)) if scalar.is_signed_integer() => {
            let unused = 64 - 8 * bytes.len() as u32;
            let value = (bits << unused) as i64 >> unused;
            ArgValue::Scalar(match u64::try_from(value) {
                Ok(value) => Value::Const(value),
                Err(_) => Value::symbolic(value.to_string()),
            })
        }
        (Some(_), Some(bits)) => ArgValue::Scalar(Value::Const(bits)),
        _ => unknown(),
    }
}
