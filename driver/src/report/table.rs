//! The report for terminals.

use std::fmt::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, TableComponent, presets};
use fpgacc_decision::describe;

use super::data::{Kernel, Part, Position, Program, Range, Report, Unrolled};
use super::position::list;

/// The widest table: that of a terminal of which nothing is known.
const WIDTH: u16 = 120;

/// All kernels, with their tables.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let default = if report.board.is_default {
        " (nobody named one)"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "Predicted for {}{default}, --kernel-opt={}",
        report.board.title, report.level
    );
    for program in &report.programs {
        if let Some(learned) = &program.learned {
            let _ = writeln!(out, "{}: {}", program.name, learned.text);
        }
        for kernel in &program.kernels {
            kernel_text(&mut out, kernel, &program.name);
        }
        total_text(&mut out, program, report);
    }
    out
}

/// All kernels of a program in one image.
fn total_text(out: &mut String, program: &Program, report: &Report) {
    let total = &program.total;
    let _ = writeln!(out, "\n{}: all kernels", program.name);
    let _ = writeln!(
        out,
        "  all launches: {} ({} as the input is, {}x), at {} MHz",
        describe::seconds(total.seconds.value),
        describe::seconds(total.before.value),
        describe::number(total.gain),
        describe::number(total.clock_mhz.value)
    );
    let (kernels, interface) = (total.area, report.board.interface);
    let of = |name: &str, own: f64, board: f64, used: f64| {
        let sum = describe::number(own + board);
        format!("{name} {sum} ({:.1}%)", used * 100.0)
    };
    let _ = writeln!(
        out,
        "  device with the board's interface: {}, {}, {}, {}{}",
        of("ALUT", kernels.alut, interface.alut, total.used.alut),
        of("FF", kernels.ff, interface.ff, total.used.ff),
        of("RAM", kernels.ram, interface.ram, total.used.ram),
        of("DSP", kernels.dsp, interface.dsp, total.used.dsp),
        if total.fits { "" } else { ": too large" }
    );
}

fn kernel_text(out: &mut String, kernel: &Kernel, program: &str) {
    let position = match &kernel.position {
        Some(position) => at(position),
        None => program.to_string(),
    };
    let chosen = &kernel.candidates[kernel.chosen];
    let _ = writeln!(out, "\n{position}: kernel {}", kernel.name);
    let _ = writeln!(
        out,
        "  {}: {} ({}x the input's speed){}",
        chosen.label,
        describe::seconds(chosen.seconds.value),
        describe::number(kernel.gain),
        if chosen.fits {
            ""
        } else {
            ": too large for the device"
        }
    );
    for (at, part) in kernel.parts.iter().enumerate() {
        match at == kernel.main {
            true => part_text(out, part, kernel.parts.len() > 1),
            false => other_part(out, part),
        }
    }
    for (one, positions) in kernel.unpriced_by_name() {
        let at = match positions.is_empty() {
            true => String::new(),
            false => list(&positions) + ": ",
        };
        let (name, price) = (&one.name, &one.priced_as);
        let _ = writeln!(
            out,
            "  {at}the model knows nothing of '{name}': priced as {price}"
        );
    }
    let _ = writeln!(out, "\n  Forms");
    table(out, forms(kernel));
    for form in &kernel.candidates {
        if let Some(why) = &form.why_not {
            let _ = writeln!(out, "  {}: {why}", form.label);
        }
    }
    search_text(out, kernel);
    for text in kernel.disagreements.iter().flatten() {
        let _ = writeln!(out, "  {text}");
    }
    for hint in &kernel.hints {
        let position = hint
            .position
            .as_ref()
            .map(|position| format!("{}: ", at(position)));
        let _ = writeln!(out, "  {}{}", position.unwrap_or_default(), hint.what);
        let _ = writeln!(out, "    to gain more: {}", hint.remedy);
    }
}

/// How the search came to the form that is kept, and why it went no further.
fn search_text(out: &mut String, kernel: &Kernel) {
    if kernel.forms > kernel.candidates.len() {
        let _ = writeln!(out, "  {} forms were priced; these matter", kernel.forms);
    }
    for step in &kernel.steps {
        let _ = writeln!(
            out,
            "  step: {}: {}x",
            step.what,
            describe::number(step.gain)
        );
    }
    for step in &kernel.refused {
        let why = match step.fits {
            true => describe::seconds(step.seconds),
            false => "does not fit".to_string(),
        };
        let _ = writeln!(out, "  not taken: {}: {why}", step.what);
    }
    if let Some(floor) = kernel.floor {
        let _ = writeln!(
            out,
            "  the search ended early: no wider form is below {} (--search-time)",
            describe::seconds(floor)
        );
    }
}

/// A launch that takes less time than another.
fn other_part(out: &mut String, part: &Part) {
    let launch = part.launch.as_ref().map(at).unwrap_or_default();
    let _ = writeln!(
        out,
        "  {} launched at {launch}: {}, {}",
        part.version,
        part.form,
        describe::seconds(part.seconds.value)
    );
}

fn part_text(out: &mut String, part: &Part, is_one_of_many: bool) {
    if is_one_of_many {
        let launch = part.launch.as_ref().map(at).unwrap_or_default();
        let _ = writeln!(out, "\n  {} launched at {launch}", part.version);
    }
    let _ = writeln!(
        out,
        "  {}: {} cycles at {} MHz; memory is busy for {}",
        part.form,
        range(part.cycles),
        range(part.clock_mhz),
        describe::seconds(part.memory_seconds)
    );
    for text in &part.assumed {
        let _ = writeln!(out, "  assumed: {text}");
    }
    if !part.loops.is_empty() || !part.unrolled.is_empty() {
        let _ = writeln!(out, "\n  Loops");
        table(out, loops(part));
    }
    if !part.accesses.is_empty() {
        let _ = writeln!(out, "\n  Accesses to memory");
        table(out, accesses(part));
    }
}

fn new_table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_style(TableComponent::HeaderLines, '─')
        .set_style(TableComponent::MiddleHeaderIntersections, '─')
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header(head.to_vec());
    table
}

/// Columns of numbers end together.
fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn loops(part: &Part) -> Table {
    let mut table = new_table(&[
        "loop",
        "",
        "iterations",
        "",
        "unrolled",
        "II",
        "what limits it",
    ]);
    for one in &part.loops {
        table.add_row([
            format!("{}{}", "  ".repeat(one.depth), one.name),
            loop_at(one.position.as_ref(), true),
            describe::number(one.trips),
            one.trips_are.clone(),
            one.unroll.to_string(),
            match one.overlap.as_str() {
                "serial" => "serial".to_string(),
                _ => describe::number(one.ii),
            },
            one.limit.clone().unwrap_or_default(),
        ]);
    }
    for same in part.unrolled.chunk_by(is_same_loop) {
        let none = String::new;
        let row = [
            same[0].name.clone(),
            loop_at(same[0].position.as_ref(), same[0].is_made),
            none(),
            none(),
            match same.len() {
                1 => "whole".to_string(),
                copies => format!("whole, {copies} times"),
            },
            none(),
            none(),
        ];
        table.add_row(row);
    }
    right(&mut table, &[2, 4, 5]);
    table
}

/// Whether the table says the same of two loops.
fn is_same_loop(one: &Unrolled, other: &Unrolled) -> bool {
    one.name == other.name && one.position == other.position && one.is_made == other.is_made
}

/// Where a loop is from.
fn loop_at(position: Option<&Position>, is_made: bool) -> String {
    match position {
        Some(position) => at(position),
        None if is_made => "made by fpgacc".to_string(),
        None => String::new(),
    }
}

fn accesses(part: &Part) -> Table {
    let mut table = new_table(&[
        "access", "array", "", "unit", "units", "bytes", "stride", "used",
    ]);
    for one in &part.accesses {
        let stride = one
            .stride
            .map_or("varies".to_string(), |bytes| bytes.to_string());
        table.add_row([
            one.position.as_ref().map(at).unwrap_or_default(),
            one.array.clone(),
            if one.is_store { "store" } else { "load" }.to_string(),
            one.unit.clone(),
            one.count.to_string(),
            one.bytes_wide.to_string(),
            stride,
            format!("{:.0}%", one.efficiency * 100.0),
        ]);
    }
    right(&mut table, &[4, 5, 6, 7]);
    table
}

fn forms(kernel: &Kernel) -> Table {
    let mut table = new_table(&[
        "", "form", "time", "between", "ALUT", "FF", "RAM", "DSP", "device",
    ]);
    for (at, form) in kernel.candidates.iter().enumerate() {
        let share = match form.fits {
            true => format!("{:.1}%", form.share * 100.0),
            false => "does not fit".to_string(),
        };
        table.add_row([
            if at == kernel.chosen { "*" } else { "" }.to_string(),
            match (form.origin, form.predicted) {
                ("model", _) => form.label.clone(),
                ("aoc", _) | (_, None) => format!("{} ({})", form.label, form.origin),
                (origin, Some(predicted)) => {
                    let predicted = describe::seconds(predicted);
                    format!("{} ({origin}; predicted: {predicted})", form.label)
                }
            },
            describe::seconds(form.seconds.value),
            format!(
                "{} .. {}",
                describe::seconds(form.seconds.low),
                describe::seconds(form.seconds.high)
            ),
            describe::number(form.area.alut),
            describe::number(form.area.ff),
            describe::number(form.area.ram),
            describe::number(form.area.dsp),
            share,
        ]);
    }
    right(&mut table, &[2, 3, 4, 5, 6, 7, 8]);
    table
}

fn table(out: &mut String, table: Table) {
    for line in table.to_string().lines() {
        let _ = writeln!(out, "  {}", line.trim_end());
    }
}

fn at(position: &Position) -> String {
    format!("{}:{}", position.file, position.line)
}

fn range(range: Range) -> String {
    match range.low == range.high {
        true => describe::number(range.value),
        false => format!(
            "{} ({} .. {})",
            describe::number(range.value),
            describe::number(range.low),
            describe::number(range.high)
        ),
    }
}
