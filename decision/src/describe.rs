//! Forms, limits and numbers as text.

use fpgacc_frontend::source::{SourceMap, Span};
use fpgacc_performance_model::{Limit, LoopReport, LsuKind, LsuReport, Pipelining, TripOrigin};

use fpgacc_tuning::correction::LEAST;

use super::price::Made;
use super::timed::Learned;
use super::variant::Origin;

/// What distinguishes a form from the others of its kernel; `is_input`: nothing was done.
pub(super) fn label(made: &Made, is_input: bool) -> String {
    let family = made.family.name();
    if is_input {
        return format!("{family}, as it is");
    }
    let mut parts = vec![family.to_string()];
    for (_, note) in made.report.done.values().flatten() {
        let is_new = note.form.as_ref().filter(|form| !parts.contains(form));
        parts.extend(is_new.cloned());
    }
    for (name, copies) in &made.unrolled {
        parts.push(format!("{name} unrolled {copies} times"));
    }
    for name in &made.together {
        parts.push(format!("{name} in lockstep"));
    }
    for name in &made.coalesced {
        parts.push(format!("{name} and the loops inside made one"));
    }
    parts.join(", ")
}

/// Seconds as people read them.
pub fn seconds(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    format!("{} {unit}", number(scaled))
}

/// A number with three digits that count.
pub fn number(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "?".to_string(),
        v if v >= 100.0 || v.fract() == 0.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The initiation interval of a loop and what sets it, in a sentence. Places are part of the words if
/// `sources` is given.
pub fn interval(report: &LoopReport, sources: Option<&SourceMap>) -> String {
    let how = match report.pipelined {
        Pipelining::Serial => "iterations run one after the other".to_string(),
        Pipelining::Pipelined | Pipelining::WorkItems => format!("II = {}", number(report.ii)),
    };
    match limit(&report.limit, sources) {
        Some(why) => format!("{how}: {why}"),
        None => how,
    }
}

/// What keeps a loop from starting an iteration each cycle; `None`: nothing.
pub fn limit(limit: &Limit, sources: Option<&SourceMap>) -> Option<String> {
    let at = |span: &Option<Span>| match (span, sources) {
        (Some(span), Some(sources)) => {
            format!(" at line {}", sources.location(sources.written(*span)).line)
        }
        _ => String::new(),
    };
    let apart = |distance: f64| match distance {
        d if d > 1.0 => format!(" {} iterations later", number(d)),
        _ => " in the next iteration".to_string(),
    };
    Some(match limit {
        Limit::None => return None,
        Limit::Recurrence {
            from,
            what,
            latency,
            distance,
            ..
        } => format!(
            "{what}{} takes {} cycles and is needed{}",
            at(from),
            number(*latency),
            apart(*distance)
        ),
        Limit::Chain { what, from, cycles } => format!(
            "{what}{} takes {} cycles, for which the clock of the whole kernel is lower",
            at(from),
            number(*cycles)
        ),
        Limit::MemoryDependence {
            array,
            loaded,
            load,
            store,
            latency,
            distance,
            on_chip: _,
        } => format!(
            "the load of '{loaded}'{} may need what the store{}{} writes{}: {} cycles",
            at(load),
            match loaded == array {
                true => String::new(),
                false => format!(" to '{array}'"),
            },
            at(store),
            match distance {
                d if *d > 1.0 => format!(" {} iterations before", number(*d)),
                _ => " an iteration before".to_string(),
            },
            number(*latency)
        ),
        Limit::LocalPorts {
            array,
            accesses,
            ports,
        } => format!("{accesses} accesses to '{array}' an iteration share {ports} ports"),
        Limit::Bandwidth => "external memory does not deliver faster".to_string(),
        Limit::Serialised(what) => format!("a loop inside must end first, because of '{what}'"),
        Limit::Copies { array, copies } => {
            format!("as many iterations overlap as '{array}' has copies: {copies}")
        }
        Limit::VariableTrips(inside) => format!(
            "the loop{} has a variable trip count, so one iteration could overtake another",
            at(inside)
        ),
        Limit::Asked => "the source asks for it".to_string(),
    })
}

/// What a user can do about a limit.
pub fn remedy(limit: &Limit) -> Option<&'static str> {
    Some(match limit {
        Limit::None | Limit::Asked => return None,
        Limit::Recurrence { what, .. } if is_reduction(what) => {
            "allow reassociation (leave out --strict-fp), accumulate in several variables, or give \
             the board's accumulator its form: start at 0 and add without a condition"
        }
        Limit::Recurrence { .. } => {
            "shorten the chain of operations between two iterations, or let several iterations of \
             an outer loop run at a time"
        }
        Limit::Chain { .. } => {
            "if the loop is short beside others, say `#pragma ii 2` or more before it, so that the \
             clock need not be lower"
        }
        Limit::MemoryDependence { array, loaded, .. } if array != loaded => {
            "say `restrict` of both pointers if they never point to the same memory: fpgacc does where the \
             host shows it"
        }
        Limit::MemoryDependence { on_chip: true, .. } => {
            "keep the value in a variable between iterations, or say `#pragma ivdep array(..)` if the \
             iterations are independent"
        }
        Limit::MemoryDependence { .. } => {
            "keep the value in a variable between iterations, say `#pragma ivdep array(..)` if the \
             iterations are independent, or copy the array to local memory"
        }
        Limit::LocalPorts { .. } => {
            "spread the array over banks (numbanks, bankwidth), keep a value in a variable, or \
             access fewer elements an iteration"
        }
        Limit::Bandwidth => {
            "read each value once: keep it in local memory, use smaller types, or make neighbouring \
             accesses contiguous"
        }
        Limit::VariableTrips(_) => {
            "let the loop inside run equally often in each iteration, to the largest bound, and put what it \
             does under a condition; do not return from it"
        }
        Limit::Serialised(_) => {
            "give each iteration of the outer loop its own copy of the variable"
        }
        Limit::Copies { .. } => {
            "ask for more copies of the array (`__attribute__((private_copies(n)))`), each of which takes memory"
        }
    })
}

/// Whether what goes round a recurrence is one operation, whose order may be another: `sum (float add)`.
fn is_reduction(what: &str) -> bool {
    let (_, operations) = what.rsplit_once('(').unwrap_or_default();
    let is_one = !operations.contains(", ");
    is_one && (operations.contains("add") || operations.contains("multipl"))
}

/// Where a trip count comes from.
pub fn origin(origin: TripOrigin) -> &'static str {
    match origin {
        TripOrigin::Known => "known",
        TripOrigin::Symbolic => "from the host",
        TripOrigin::Profiled => "recorded",
        TripOrigin::Assumed => "assumed",
    }
}

/// The kind of a memory unit.
pub fn unit(kind: LsuKind) -> &'static str {
    match kind {
        LsuKind::BurstCoalesced => "burst-coalesced",
        LsuKind::BurstNonAligned => "burst-coalesced, not aligned",
        LsuKind::BurstCached => "burst-coalesced, cached",
        LsuKind::Prefetching => "prefetching",
        LsuKind::Constant => "constant cache",
        LsuKind::Pipelined => "pipelined",
        LsuKind::Atomic => "atomic",
    }
}

/// An access to external memory, in a sentence.
pub fn access(report: &LsuReport) -> String {
    let what = if report.is_store {
        "store to"
    } else {
        "load of"
    };
    let stride = match report.stride {
        Some(0) => "always the same place".to_string(),
        Some(bytes) => format!("{bytes} bytes apart"),
        None => "anywhere".to_string(),
    };
    let used = match report.kind {
        // Nothing is transferred.
        LsuKind::Pipelined => String::new(),
        _ => format!(
            ", {:.0}% of what is transferred is used",
            report.efficiency * 100.0
        ),
    };
    format!(
        "{what} '{}': {}, {} bytes wide, {stride}{used}",
        report.array,
        unit(report.kind),
        report.bytes_wide
    )
}

/// Where the time of a form comes from.
pub fn of(origin: Origin) -> &'static str {
    match origin {
        Origin::Model => "model",
        Origin::Compiler => "aoc",
        Origin::Corrected => "corrected",
        Origin::Measured => "measured",
    }
}

/// What measured times said of the forms of a program.
pub fn learned(found: &Learned) -> String {
    let several = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let forms = several(found.forms, "form");
    let counted = format!("measured: {forms} of {}", several(found.kernels, "kernel"));
    let Some(check) = found.left_out else {
        return format!(
            "{counted}; too few to say anything of other forms, whose times are predicted ({LEAST} would do)"
        );
    };
    let what = found.left_out_word();
    let (alone, others) = (number(check.predicted), number(check.corrected));
    let used = match found.is_used() {
        true => "so times of other forms are corrected",
        false => "so times of other forms stay as they are predicted",
    };
    format!(
        "{counted}; each {what} left out in turn, predictions of its times are off by {alone}x (median), and by {others}x \
         with what the others say, {used}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1.0, 1.234, 12.34, 123.4, 12345.6].map(number);
        assert_eq!(shown, ["0", "1", "1.23", "12.3", "123", "12346"]);
        let times = [2.5, 0.0123, 66e-6].map(seconds);
        assert_eq!(times, ["2.50 s", "12.3 ms", "66 us"]);
    }

    #[test]
    fn sums_and_products_may_be_split_and_other_recurrences_not() {
        assert!(is_reduction("sum (float add)"));
        assert!(is_reduction("p (float multiply)"));
        assert!(!is_reduction("s (float multiply, float add)"));
        assert!(!is_reduction("s (float divide)"));
    }

    #[test]
    fn limits_name_both_ends_of_a_dependence() {
        let mut sources = SourceMap::new();
        let file = sources.add("k.cl", "load\nstore\n");
        let at = |start| {
            Some(Span {
                file,
                start,
                end: start + 4,
            })
        };
        let limit = |array: &str| Limit::MemoryDependence {
            array: array.to_string(),
            loaded: "a".to_string(),
            on_chip: false,
            load: at(0),
            store: at(5),
            latency: 187.0,
            distance: 1.0,
        };
        let text = |array| super::limit(&limit(array), Some(&sources)).unwrap();
        let expected = "the load of 'a' at line 1 may need what the store at line 2 writes an \
                        iteration before: 187 cycles";
        assert_eq!(text("a"), expected);
        assert!(remedy(&limit("a")).unwrap().contains("ivdep"));
        let expected = "the load of 'a' at line 1 may need what the store to 'b' at line 2 writes an \
                        iteration before: 187 cycles";
        assert_eq!(text("b"), expected);
        assert!(remedy(&limit("b")).unwrap().contains("restrict"));
    }
}
