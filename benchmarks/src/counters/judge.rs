//! Findings beside counters, line by line.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::cc::{Compiler, Language};
use fpgacc_frontend::source::{Location, Span};
use fpgacc_gpu_model::check::{Findings, Site, Thresholds, What, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::recorded::Seen;
use fpgacc_launch_facts::{Arg, ArgValue, Facts, Launch, LocalSize, Value};

use super::counted::{Counted, Counts, Kind};
use crate::geometry::kernels::{Data, Entry};
use crate::model::kernels;

/// Averages that are this close are the same.
const CLOSE: f64 = 0.01;

/// What is said of a line's sites of one kind.
#[derive(Clone, Debug)]
struct Said {
    /// Of all of them it is sure.
    sure: bool,
    /// Sectors that warps move at each, on average; of local memory, turns beyond the least.
    sectors: Vec<f64>,
    /// One of them diverges.
    diverges: bool,
    warns: bool,
    /// What mending it gains, by the model.
    gain: Option<f64>,
}

/// What is said of a kernel, by line.
pub struct Found {
    lines: BTreeMap<(u32, Kind), Said>,
    took: Duration,
}

/// Where kernels lie, on what they ran, and what else is known of them.
pub struct Scene<'a> {
    /// The folder that holds the checkouts.
    pub root: &'a Path,
    /// The device that counted.
    pub device: &'a Device,
    /// A recorded run of the kernel.
    pub facts: Option<&'a Facts>,
}

/// Looks at the kernel of an entry, launched as it was counted.
///
/// # Errors
///
/// The kernel cannot be read.
pub fn findings(
    entry: &Entry,
    data: Data,
    counted: &Counted,
    scene: &Scene,
) -> Result<Found, String> {
    let name = format!("{} {}", entry.program, entry.kernel);
    let path = scene.root.join(&entry.file);
    let compiler = Compiler::find(Language::C).map_err(|error| error.to_string())?;
    let options = entry.options(data);
    let words = options.split_whitespace();
    let defines: Vec<String> = words
        .filter_map(|word| word.strip_prefix("-D"))
        .map(String::from)
        .collect();
    let folders: Vec<_> = path
        .ancestors()
        .skip(1)
        .take(2)
        .map(Path::to_path_buf)
        .collect();
    let parsed = kernels::parse(&path, &compiler, &defines, &folders);
    let (module, sources) = parsed.map_err(|error| format!("{name}: {error}"))?;
    let kernel = module
        .kernels()
        .find(|id| module.functions[*id].name == entry.kernel);
    let kernel = kernel.ok_or_else(|| format!("{name}: no such kernel"))?;
    let launch = launch(entry, data, counted)?;
    let runs = Seen::of(scene.facts, &entry.kernel, scene.device, &sources);
    let usual = Thresholds::default();
    let start = Instant::now();
    let findings = check(&module, kernel, &[&launch], scene.device, &usual, &runs);
    let took = start.elapsed();
    let lines = |span: Span| {
        let end = Span {
            start: span.end.max(span.start + 1) - 1,
            ..span
        };
        sources.location(span).line..=sources.location(end).line
    };
    Ok(Found {
        lines: by_line(&findings, lines),
        took,
    })
}

/// The launch as the host's text would give it.
fn launch(entry: &Entry, data: Data, counted: &Counted) -> Result<Launch, String> {
    let site = Location {
        file: "host.c".to_string(),
        line: 1,
        column: 1,
    };
    let constants = |all: &[u64]| all.iter().copied().map(Value::Const).collect();
    let args = entry.scalars(data).into_iter().map(|(index, value)| Arg {
        index,
        value: ArgValue::Scalar(Value::Const(value as u64)),
    });
    Ok(Launch {
        work_dim: Value::Const(3),
        offset: constants(&[0; 3]),
        global: constants(&entry.global(data)?),
        local: LocalSize::Sizes(constants(&counted.local)),
        args: args.collect(),
        ..Launch::of(site, vec![entry.kernel.clone()])
    })
}

/// What is said of lines. Of a condition that several lines make up, a GPU has branches on each.
fn by_line(
    findings: &Findings,
    lines: impl Fn(Span) -> RangeInclusive<u32>,
) -> BTreeMap<(u32, Kind), Said> {
    let mut all: BTreeMap<(u32, Kind), Said> = BTreeMap::new();
    for site in &findings.sites {
        let own = lines(site.span);
        let kind = match site.what {
            What::Global { write: false, .. } => Kind::Read,
            What::Global { write: true, .. } => Kind::Write,
            What::Branch { .. } => Kind::Branch,
            What::Local { write: false, .. } => Kind::LocalRead,
            What::Local { write: true, .. } => Kind::LocalWrite,
            What::Barrier { .. } | What::MissedBarrier { .. } => continue,
        };
        let last = match kind {
            Kind::Branch => *own.end(),
            _ => *own.start(),
        };
        for line in *own.start()..=last {
            all.entry((line, kind)).or_default().add(site);
        }
    }
    all
}

impl Default for Said {
    fn default() -> Self {
        Said {
            sure: true,
            sectors: Vec::new(),
            diverges: false,
            warns: false,
            gain: None,
        }
    }
}

impl Said {
    fn add(&mut self, site: &Site) {
        self.sure &= site.verdict.is_sure();
        self.warns |= site.is_warning;
        let gain = site.gain.map(|gain| gain.times);
        self.gain = self.gain.into_iter().chain(gain).reduce(f64::max);
        match site.what {
            What::Global { sectors, .. } => self.sectors.push(sectors),
            What::Branch { diverged, .. } => self.diverges |= diverged > 0.0,
            What::Local { turns, ideal, .. } => self.sectors.push(turns - ideal),
            What::Barrier { .. } | What::MissedBarrier { .. } => {}
        }
    }
}

/// Sums over kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    kernels: usize,
    took: Duration,
    accesses: Sums,
    branches: Sums,
    banks: Sums,
}

/// Lines: executed, of which it is sure, of these as counted; wasteful, said to be, both; warned of, of these right.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    executed: usize,
    sure: usize,
    exact: usize,
    wasteful: usize,
    said: usize,
    both: usize,
}

impl Totals {
    /// Adds a kernel; the result states what differs.
    pub fn add(&mut self, entry: &Entry, counted: &Counted, found: &Found) -> String {
        self.kernels += 1;
        self.took = self.took.max(found.took);
        let mut text = String::new();
        let traffic = counted.traffic();
        let usual = Thresholds::default();
        for ((line, kind), counts) in &counted.lines {
            let said = found.lines.get(&(*line, *kind));
            let differs = match kind {
                Kind::Atomic => None,
                Kind::Branch => self.branches.branch(counts, said),
                Kind::LocalRead | Kind::LocalWrite => self.banks.bank(counts, said),
                Kind::Read | Kind::Write => {
                    let wasteful = |one: &Counts| {
                        one.sectors > usual.sectors * one.ideal * (1.0 + CLOSE)
                            && one.sectors >= usual.traffic * traffic
                    };
                    // Copies of an unrolled loop's access make its traffic together.
                    let is_one = said.is_some_and(|said| said.sectors.len() == 1);
                    let all = together(counts);
                    let is_waste = counts.iter().any(wasteful) || (is_one && wasteful(&all));
                    self.accesses.access(counts, is_waste, said)
                }
            };
            if let Some(differs) = differs {
                let (program, kernel) = (&entry.program, &entry.kernel);
                let _ = writeln!(
                    text,
                    "    {program} {kernel} line {line} {kind:?}: {differs}"
                );
            }
        }
        text
    }
}

/// All instructions of a line.
fn together(counts: &[Counts]) -> Counts {
    let sum = |number: fn(&Counts) -> f64| counts.iter().map(number).sum();
    Counts {
        executed: sum(|one| one.executed),
        sectors: sum(|one| one.sectors),
        ideal: sum(|one| one.ideal),
        diverged: sum(|one| one.diverged),
    }
}

/// Averages of sectors, for people.
fn averages(all: impl Iterator<Item = f64>) -> String {
    let words: Vec<String> = all.map(|one| format!("{one:.2}")).collect();
    words.join(", ")
}

impl Sums {
    fn access(&mut self, counts: &[Counts], is_waste: bool, said: Option<&Said>) -> Option<String> {
        self.executed += 1;
        self.wasteful += usize::from(is_waste);
        let warns = said.is_some_and(|said| said.warns);
        self.said += usize::from(warns);
        self.both += usize::from(warns && is_waste);
        let average = |one: &Counts| one.sectors / one.executed;
        let counted = averages(counts.iter().map(average));
        let ideal = averages(counts.iter().map(|one| one.ideal / one.executed));
        let counted = format!("{counted} sectors a warp counted, {ideal} would do");
        let Some(said) = said.filter(|said| said.sure) else {
            return is_waste.then(|| format!("{counted}; it is not sure"));
        };
        self.sure += 1;
        let is_said = |one: &Counts| {
            let near = |stated: &f64| (stated - average(one)).abs() <= CLOSE * average(one);
            said.sectors.iter().any(near)
        };
        let is_one = said.sectors.len() == 1;
        let is_exact = counts.iter().all(is_said) || (is_one && is_said(&together(counts)));
        self.exact += usize::from(is_exact);
        if is_exact && warns == is_waste && !warns {
            return None;
        }
        let gain = said.gain.map(|gain| format!(" ({gain:.2}x)"));
        let warned = match warns {
            true => format!(", with a warning{}", gain.unwrap_or_default()),
            false => String::new(),
        };
        let stated = averages(said.sectors.iter().copied());
        Some(format!("{counted}; {stated} said{warned}"))
    }

    fn branch(&mut self, counts: &[Counts], said: Option<&Said>) -> Option<String> {
        let Counts {
            diverged, executed, ..
        } = together(counts);
        let diverges = diverged > 0.0;
        let counted = format!("{diverged} of {executed} branches diverge");
        self.executed += 1;
        self.wasteful += usize::from(diverges);
        let Some(said) = said.filter(|said| said.sure) else {
            return diverges.then(|| format!("{counted}; it is not sure"));
        };
        self.sure += 1;
        self.exact += usize::from(said.diverges == diverges);
        self.said += usize::from(said.diverges);
        self.both += usize::from(said.diverges && diverges);
        let stated = if said.diverges {
            "that it diverges"
        } else {
            "that it does not diverge"
        };
        (said.diverges != diverges).then(|| format!("{counted}; it says {stated}"))
    }
}

impl Sums {
    /// Local memory: turns beyond those that it takes without conflicts.
    fn bank(&mut self, counts: &[Counts], said: Option<&Said>) -> Option<String> {
        let beyond = |one: &Counts| (one.sectors - one.ideal) / one.executed;
        let conflicts = |turns: f64| turns > CLOSE;
        let is_waste = counts.iter().any(|one| conflicts(beyond(one)));
        self.executed += 1;
        self.wasteful += usize::from(is_waste);
        let counted = format!(
            "{} turns beyond counted",
            averages(counts.iter().map(beyond))
        );
        let Some(said) = said.filter(|said| said.sure) else {
            return is_waste.then(|| format!("{counted}; it is not sure"));
        };
        self.sure += 1;
        let says_waste = said.sectors.iter().any(|turns| conflicts(*turns));
        self.said += usize::from(says_waste);
        self.both += usize::from(says_waste && is_waste);
        let is_said = |one: &Counts| {
            let near = |turns: &f64| (turns - beyond(one)).abs() <= CLOSE * beyond(one).max(1.0);
            said.sectors.iter().any(near)
        };
        let is_exact = counts.iter().all(is_said);
        self.exact += usize::from(is_exact);
        let stated = averages(said.sectors.iter().copied());
        (!is_exact).then(|| format!("{counted}; {stated} said"))
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} kernels, at most {:.1} ms each",
            self.kernels,
            self.took.as_secs_f64() * 1e3
        )?;
        self.accesses.summarise(f, "accesses", "wasteful")?;
        self.branches.summarise(f, "branches", "divergent")?;
        self.banks.summarise(f, "local memory", "with conflicts")
    }
}

impl Sums {
    fn summarise(&self, f: &mut fmt::Formatter<'_>, what: &str, bad: &str) -> fmt::Result {
        let Sums {
            executed,
            sure,
            exact,
            wasteful,
            said,
            both,
        } = self;
        writeln!(
            f,
            "{what}: {executed} lines executed, sure of {sure}, {exact} of these as counted; {wasteful} {bad}, {said} \
             said to be, {both} both: recall {:.0} %, precision {:.0} %",
            100.0 * *both as f64 / (*wasteful).max(1) as f64,
            100.0 * *both as f64 / (*said).max(1) as f64
        )
    }
}
