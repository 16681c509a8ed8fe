//! Rows as a table.

use std::time::Duration;

use crate::readback::Difference;
use crate::trial::{Row, Verdict};

const HEAD: [&str; 9] = [
    "program",
    "platform",
    "kernels",
    "rewritten forms",
    "build",
    "original",
    "fpgacc",
    "max difference",
    "verdict",
];

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Aligned columns.
    Text,
    /// A Markdown table.
    Markdown,
}

/// The table, which ends with a line end.
pub fn render(rows: &[Row], style: Style) -> String {
    let mut table = vec![HEAD.map(str::to_string)];
    table.extend(rows.iter().map(cells));
    let mut widths = [0; 9];
    for cells in &table {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    for (index, cells) in table.iter().enumerate() {
        out.push_str(&line(cells, &widths, style));
        if index == 0 {
            let rule = widths.map(|width| "-".repeat(width));
            out.push_str(&line(&rule, &widths, style));
        }
    }
    out
}

fn line(cells: &[String; 9], widths: &[usize; 9], style: Style) -> String {
    let (start, between, end) = match style {
        Style::Text => ("", "  ", ""),
        Style::Markdown => ("| ", " | ", " |"),
    };
    let padded = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect::<Vec<_>>()
        .join(between);
    format!("{}\n", format!("{start}{padded}{end}").trim_end())
}

fn cells(row: &Row) -> [String; 9] {
    let forms = row.forms.iter();
    let forms: Vec<String> = forms
        .map(|(pass, count)| format!("{count} {pass}"))
        .collect();
    let forms = match forms.is_empty() {
        true => "-".to_string(),
        false => forms.join(", "),
    };
    [
        row.program.clone(),
        row.platform.clone(),
        row.kernels.to_string(),
        forms,
        time(row.build),
        time(row.original),
        time(row.rewritten),
        row.difference.as_ref().map_or("-".to_string(), difference),
        verdict(&row.verdict).to_string(),
    ]
}

fn time(time: Option<Duration>) -> String {
    time.map_or("-".to_string(), |time| {
        format!("{:.2} s", time.as_secs_f64())
    })
}

/// The largest difference, and what part of the bound is used.
fn difference(difference: &Difference) -> String {
    match (difference.largest, difference.share) {
        (0.0, _) => "0".to_string(),
        (largest, 0.0) => format!("{largest:.1e}"),
        (largest, share) => format!("{largest:.1e} ({:.0} %)", (100.0 * share).ceil()),
    }
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Passes => "passes",
        Verdict::Identical => "identical",
        Verdict::WithinBounds => "within bounds",
        Verdict::Fault(_) => "FAULT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            program: "nn".into(),
            platform: "pocl".into(),
            kernels: 2,
            forms: [("ndrange-to-loop".to_string(), 2)].into(),
            build: Some(Duration::from_millis(1234)),
            original: Some(Duration::from_millis(40)),
            rewritten: None,
            difference: Some(Difference {
                identical: false,
                largest: 0.25,
                share: 0.25,
                fault: None,
            }),
            verdict: Verdict::Fault("long story".into()),
        }
    }

    #[test]
    fn columns_are_aligned() {
        let text = render(&[row()], Style::Text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].find("build"), lines[2].find("1.23 s"));
        assert!(lines[2].ends_with("2.5e-1 (25 %)   FAULT"), "{text}");
    }

    #[test]
    fn markdown_has_a_rule() {
        let text = render(&[row()], Style::Markdown);
        let second = text.lines().nth(1).unwrap();
        assert!(second.starts_with("| ---"), "{text}");
        assert!(
            text.lines().all(|line| line.matches('|').count() == 10),
            "{text}"
        );
    }
}
