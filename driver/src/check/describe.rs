//! What `fpgacc check` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_frontend::source::Span;
use fpgacc_gpu_model::check::{BySize, Site, Verdict, What};
use fpgacc_gpu_model::gain::{Gain, Mend};
use fpgacc_gpu_model::geometry::model::Limit;
use fpgacc_gpu_model::lanes::observed::BranchKind;

use super::checked::Checked;
use crate::session::Session;

/// A change must make a launch so many times as fast.
const WORTHWHILE: f64 = 1.1;

/// What lets all work-items of a group come to a barrier.
pub const MEET: &str = "take the barrier out of the branch or loop, and put conditions around what stands between \
                        barriers in place of `return`, `break` and `continue` before them";

/// Elements of 4 bytes that are this far apart lie in sectors of their own.
const LARGE: u32 = 8;

/// Warnings of a kernel, in the order of the text.
pub fn warnings(checked: &Checked, session: &Session) -> Vec<Diagnostic> {
    let sites = checked.findings.sites.iter().filter(|site| site.is_warning);
    sites.map(|site| warning(checked, site, session)).collect()
}

fn warning(checked: &Checked, site: &Site, session: &Session) -> Diagnostic {
    let name = &checked.module.functions[checked.kernel].name;
    let (message, option) = headline(site);
    let mut warning = Diagnostic::warning(message).at(site.span).option(option);
    let launch = site.launch.and_then(|at| checked.launches.get(at));
    let launched = launch.map(|launch| {
        let at = &launch.site;
        format!(", launched in {}:{}", at.file, at.line)
    });
    let sure = match &site.verdict {
        Verdict::Measured => "measured in a run".to_string(),
        Verdict::Estimated => "estimated from some warps or iterations".to_string(),
        Verdict::Provided(names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("proved for {} of {LARGE} or more", names.join(" and "))
        }
        _ => "proved".to_string(),
    };
    warning = warning.note(format!(
        "{sure}, kernel '{name}'{}: {}",
        launched.unwrap_or_default(),
        share(site, checked.findings.is_counted)
    ));
    match advice(checked, site, session) {
        Some(advice) => warning.help(advice),
        None => warning,
    }
}

pub fn headline(site: &Site) -> (String, &'static str) {
    match &site.what {
        What::Global {
            write,
            sectors,
            ideal,
            ..
        } => {
            let does = if *write { "writes" } else { "reads" };
            if *sectors == 0.0 {
                let message = format!("nobody knows which sectors of memory a warp {does} here");
                return (message, "-Wuncoalesced");
            }
            let message = format!(
                "a warp {does} {} sectors of memory here where {} would do",
                number(*sectors),
                number(*ideal)
            );
            (message, "-Wuncoalesced")
        }
        What::Local { turns, ideal, .. } => {
            if turns <= ideal {
                let message = "lanes of a warp use banks of local memory of their own here";
                return (message.to_string(), "-Wbank-conflicts");
            }
            let message = format!(
                "lanes of a warp want the same banks of local memory here: {} turns in place of {}",
                number(*turns),
                number(*ideal)
            );
            (message, "-Wbank-conflicts")
        }
        What::Barrier { waiting } => {
            let message = format!(
                "warps wait here for the last of their work-group in {} of the time since the barrier before",
                percent(*waiting)
            );
            (message, "-Wimbalance")
        }
        What::MissedBarrier { .. } => {
            let message = match site.verdict.is_sure() {
                true => "not all work-items of a work-group come to this barrier",
                false => "some work-items of a work-group may not come to this barrier",
            };
            (message.to_string(), "-Wmissed-barrier")
        }
        What::Branch { kind, diverged } => {
            let message = match kind {
                BranchKind::Loop => format!(
                    "lanes leave this loop at different iterations in {} of the warps",
                    percent(*diverged)
                ),
                _ => format!(
                    "lanes of {} of the warps go different ways here",
                    percent(*diverged)
                ),
            };
            (message, "-Wdivergent")
        }
    }
}

pub fn share(site: &Site, is_counted: bool) -> String {
    let about = if site.is_rough { "about " } else { "" };
    let part = format!("{about}{}", percent(site.share));
    match &site.what {
        What::Global { stride, wasted, .. } => {
            let stride = match stride {
                Some(stride) => format!("neighbouring lanes are {stride} bytes apart; "),
                None => String::new(),
            };
            let lost = match is_counted {
                true => format!(", {about}{} wasted a launch", bytes(*wasted)),
                false => String::new(),
            };
            format!("{stride}{part} of the kernel's traffic{lost}")
        }
        What::Local { stride, .. } => {
            let stride = match stride {
                Some(stride) => format!("neighbouring lanes are {stride} bytes apart; "),
                None => String::new(),
            };
            format!("{stride}{part} of the time of the kernel's operations")
        }
        What::Branch { .. } => format!("{part} of the kernel's lane-operations wait for others"),
        What::Barrier { .. } => {
            format!("that is {part} of the kernel's time, if no other work-group runs meanwhile")
        }
        What::MissedBarrier { .. } => format!(
            "in {part} of the times that a work-group comes here; what follows is undefined, and FPGAs hang"
        ),
    }
}

/// The change that would mend it, and what it would gain.
fn advice(checked: &Checked, site: &Site, session: &Session) -> Option<String> {
    match &site.what {
        What::Global {
            stride,
            bytes,
            wasted,
            in_loop,
            ..
        } => {
            let left = (checked.findings.traffic - wasted).max(1.0);
            let traffic = format!("{:.1}x less traffic", checked.findings.traffic / left);
            let gain = match site.gain {
                Some(gain) if gain.times < WORTHWHILE => return Some(not_worthwhile(gain)),
                Some(gain) => format!("{traffic}, {:.1}x as fast by the model", gain.times),
                None => traffic,
            };
            let exchange = || {
                format!(
                    "let the first dimension of the ids be the one that is contiguous in memory: exchange dimensions \
                     0 and 1, transpose the array, or go through a tile in local memory ({gain})"
                )
            };
            let Some(stride) = stride else {
                let is_best = site.gain.is_some_and(|gain| gain.mend == Mend::Exchange);
                return is_best.then(exchange);
            };
            let is_field = session_text(session, site.span).is_some_and(|text| text.contains(['.', '>']));
            Some(match stride.unsigned_abs() {
                near if is_field && near <= 256 => format!(
                    "keep each field of the structure in an array of its own ({gain}), or read the structure whole \
                     through local memory"
                ),
                near if near < 32 * u128::from(*bytes) && !in_loop => {
                    format!("store elements that neighbouring work-items take side by side ({gain})")
                }
                near if near < 32 * u128::from(*bytes) => format!(
                    "let neighbouring work-items take neighbouring elements: element `id + i * size` in round `i`, \
                     not `id * n + i` ({gain})"
                ),
                _ if is_linear(checked, site) => format!(
                    "store the array transposed, so that neighbouring work-items read neighbouring elements, or go \
                     through a tile in local memory ({gain})"
                ),
                _ => exchange(),
            })
        }
        What::Local { .. } => Some("pad rows of the local array by one element".to_string()),
        What::Barrier { .. } => Some(
            "let all warps of a work-group do as much between barriers: loops with one trip count, work that is shared out \
             in equal parts"
                .to_string(),
        ),
        What::MissedBarrier { .. } => Some(MEET.to_string()),
        What::Branch { kind, .. } => Some(match kind {
            BranchKind::Loop => "give lanes of a warp trip counts that are alike: sort the work, or share it out in \
                                 equal parts"
                .to_string(),
            _ => "decide by the warp or the work-group (`get_local_id(0) / 32`), not by the lane, or compute both sides \
                  and select"
                .to_string(),
        }),
    }
}

/// A change that gains little: what else there is to do.
fn not_worthwhile(gain: Gain) -> String {
    let first = match gain.limit {
        Limit::Latency => {
            "too few warps wait for memory: launch more work-items, or give each of them less to do"
        }
        limit => {
            return format!(
                "by the model, {} limit this launch: other accesses alone would make it {:.2}x as fast",
                limit.description(),
                gain.times
            );
        }
    };
    format!(
        "by the model, {first}; other accesses alone would make it {:.2}x as fast",
        gain.times
    )
}

/// Whether the launch has one dimension only.
fn is_linear(checked: &Checked, site: &Site) -> bool {
    let launch = site.launch.and_then(|at| checked.launches.get(at));
    launch.is_some_and(|launch| launch.work_dim.constant() == Some(1))
}

fn session_text(session: &Session, span: Span) -> Option<String> {
    let file = session.sources.file(span.file);
    let text = file.text.get(span.start as usize..span.end as usize)?;
    Some(text.to_string())
}

/// How many sites are of a kind.
fn count(checked: &Checked, is_it: impl Fn(&Site) -> bool) -> usize {
    let sites = checked.findings.sites.iter();
    sites.filter(|site| is_it(site)).count()
}

/// A line for a kernel: what it moves, and what is not known.
pub fn summary(checked: &Checked) -> String {
    let findings = &checked.findings;
    let mut text = totals(checked) + &wasted(checked);
    let by_data = count(checked, |site| site.verdict == Verdict::ByData);
    if by_data > 0 {
        let _ = write!(text, "; {by_data} depend on data");
    }
    text.push('\n');
    text += &not_known(checked);
    if findings.is_cut {
        text += "  the kernel is long: not all of it was looked at\n";
    }
    for what in &findings.not_followed {
        let _ = writeln!(text, "  not followed: {what}");
    }
    text
}

/// How much of what a kernel has.
fn totals(checked: &Checked) -> String {
    let name = &checked.module.functions[checked.kernel].name;
    let is_branch = |site: &Site| matches!(site.what, What::Branch { .. });
    let is_barrier = |site: &Site| matches!(site.what, What::Barrier { .. });
    let is_access = |site: &Site| matches!(site.what, What::Global { .. } | What::Local { .. });
    let accesses = count(checked, is_access);
    let branches = count(checked, is_branch);
    let mut text = format!("kernel {name}: {accesses} accesses, {branches} branches");
    let barriers = count(checked, is_barrier);
    if barriers > 0 {
        let _ = write!(text, ", {barriers} barriers");
    }
    let _ = match count(checked, |site| site.is_warning) {
        0 => write!(text, ", nothing to mend"),
        warnings => write!(text, ", {warnings} to mend"),
    };
    text
}

/// What a kernel moves in a launch, and how much of that for nothing.
fn wasted(checked: &Checked) -> String {
    let findings = &checked.findings;
    if findings.traffic <= 0.0 || !findings.is_counted {
        return String::new();
    }
    let moves_by_data = count(checked, |site| {
        matches!(site.what, What::Global { .. }) && site.verdict == Verdict::ByData
    });
    let about = match findings.is_rough {
        _ if moves_by_data > 0 => "at most ",
        true => "about ",
        false => "",
    };
    format!(
        "; {about}{} a launch, {} of it for nothing",
        bytes(findings.traffic),
        percent(findings.wasted / findings.traffic)
    )
}

/// Lines on local sizes that are assumed, and on what is not known.
fn not_known(checked: &Checked) -> String {
    let mut text = String::new();
    let sites = &checked.findings.sites;
    let assumed = sites.iter().find_map(|site| match site.verdict {
        Verdict::Assumed(local) => Some(local),
        _ => None,
    });
    if let Some([x, y, z]) = assumed {
        let count = count(checked, |site| matches!(site.verdict, Verdict::Assumed(_)));
        let _ = writeln!(
            text,
            "  {count} assumed: the host leaves the local size open, and the device usually takes {x}x{y}x{z}"
        );
    }
    text += &by_sizes(checked);
    let is_open = |site: &Site| site.by_size.is_none();
    let facts = sites.iter().filter_map(|site| match &site.verdict {
        Verdict::Unknown(facts) if is_open(site) => Some(facts),
        _ => None,
    });
    let facts: BTreeSet<&str> = facts.flatten().map(String::as_str).collect();
    if !facts.is_empty() {
        let unknown = count(checked, |site| {
            matches!(site.verdict, Verdict::Unknown(_)) && is_open(site)
        });
        let facts: Vec<&str> = facts.into_iter().collect();
        let _ = writeln!(
            text,
            "  {unknown} not known: they depend on {}; record a run (fpgacc trace)",
            facts.join(", ")
        );
    }
    text
}

/// Lines on what depends on the local size, which the host leaves open. What is worth no warning in any of the
/// sizes that were looked at is none.
fn by_sizes(checked: &Checked) -> String {
    let mut sites: BTreeMap<&BySize, usize> = BTreeMap::new();
    for sizes in checked
        .findings
        .sites
        .iter()
        .filter_map(|site| site.by_size.as_ref())
    {
        if !sizes.warned.is_empty() {
            *sites.entry(sizes).or_default() += 1;
        }
    }
    let mut text = String::new();
    let named = |sizes: &[[u64; 3]]| {
        let sizes = sizes.iter().map(|[x, y, z]| format!("{x}x{y}x{z}"));
        sizes.collect::<Vec<_>>().join(", ")
    };
    for (sizes, count) in sites {
        let _ = writeln!(
            text,
            "  {count} to mend in work-groups of {}, not of {}: the host leaves the local size open; name it there or in \
             facts (local), record a run (fpgacc trace), or name a device whose choice is known (--device=h200)",
            named(&sizes.warned),
            named(&sizes.fine)
        );
    }
    text
}

/// At most one decimal.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

fn bytes(count: f64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KB", "MB", "GB"];
    let mut count = count;
    let mut unit = 0;
    while count >= 1000.0 && unit + 1 < UNITS.len() {
        count /= 1000.0;
        unit += 1;
    }
    format!("{} {}", number(count), UNITS[unit])
}
