//! A chart of predicted against measured times, made of the rows that `fpgacc-bench model --rows`
//! prints.

use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 390.0;

/// A colour for each application that light and dark pages show well.
const COLOURS: [&str; 8] = [
    "#3b7dd8", "#d9622b", "#2e9e5b", "#a855c7", "#c79a1e", "#d6457a", "#1f9aa8", "#8a8f98",
];

/// A measured design. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq)]
struct Design {
    application: String,
    variant: String,
    measured: f64,
    predicted: f64,
}

/// A row ends with measured and predicted time, their ratio, two clocks, two areas, `ram` with two
/// numbers and `mem` with one.
const TIMES_FROM_END: usize = 12;

fn design(line: &str) -> Option<Design> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.len().checked_sub(TIMES_FROM_END)?;
    let time = |at: usize| words[at].parse().ok().filter(|ms: &f64| *ms > 0.0);
    if at < 3 || words[at + 7] != "ram" {
        return None;
    }
    Some(Design {
        application: words[0].to_string(),
        variant: words[1..at].join(" "),
        measured: time(at)?,
        predicted: time(at + 1)?,
    })
}

/// The middle one of the errors, a part of the measured time.
fn median_error(designs: &[Design]) -> f64 {
    let mut errors: Vec<f64> = designs
        .iter()
        .map(|one| (one.predicted / one.measured - 1.0).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

/// The chart as SVG.
///
/// # Errors
/// There is no row of a design.
pub fn svg(rows: &str) -> Result<String, String> {
    let designs: Vec<Design> = rows.lines().filter_map(design).collect();
    if designs.is_empty() {
        return Err("no row of a design: fpgacc-bench model .. --rows prints them".to_string());
    }
    let times = designs.iter().flat_map(|one| [one.measured, one.predicted]);
    let (low, high) = times.fold((f64::MAX, 0.0_f64), |(low, high), time| {
        (low.min(time), high.max(time))
    });
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    let part = |time: f64| (time.log10() - low) / (high - low);
    let x = |time: f64| LEFT + part(time) * (RIGHT - LEFT);
    let y = |time: f64| BOTTOM - part(time) * (BOTTOM - TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Predicted against measured times\">\n<style>\ntext {{ font: 13px system-ui, \
         sans-serif; fill: #4b5157; }}\n.title {{ font-weight: 600; }}\nline {{ stroke: #8a8f98; \
         stroke-opacity: .35; }}\nline.same {{ stroke-opacity: .9; }}\nline.twice {{ \
         stroke-dasharray: 4 4; stroke-opacity: .9; }}\n@media (prefers-color-scheme: dark) {{ text \
         {{ fill: #c3c8cd; }} }}\n</style>\n"
    );
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{LEFT}\" y=\"24\">{} designs on an Arria 10: the median error is \
         {:.0} %</text>",
        designs.len(),
        median_error(&designs) * 100.0
    );
    for power in (low as i32)..=(high as i32) {
        let time = 10f64.powi(power);
        let (at, up) = (x(time), y(time));
        let label = match power {
            3.. => format!("{} s", 10f64.powi(power - 3)),
            0..3 => format!("{} ms", 10f64.powi(power)),
            _ => format!("{} us", 10f64.powi(power + 3)),
        };
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/><line x1=\"{LEFT}\" \
             x2=\"{RIGHT}\" y1=\"{up:.1}\" y2=\"{up:.1}\"/>\n<text x=\"{at:.1}\" y=\"{:.0}\" \
             text-anchor=\"middle\">{label}</text><text x=\"{:.0}\" y=\"{:.1}\" \
             text-anchor=\"end\">{label}</text>",
            BOTTOM + 20.0,
            LEFT - 8.0,
            up + 4.0
        );
    }
    let (least, most) = (10f64.powf(low), 10f64.powf(high));
    for (class, factor) in [("same", 1.0), ("twice", 2.0), ("twice", 0.5)] {
        let from = if factor < 1.0 { least / factor } else { least };
        let to = if factor > 1.0 { most / factor } else { most };
        let _ = writeln!(
            out,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            x(from),
            y(from * factor),
            x(to),
            y(to * factor)
        );
    }
    let mut applications: BTreeMap<&str, Vec<&Design>> = BTreeMap::new();
    for one in &designs {
        applications.entry(&one.application).or_default().push(one);
    }
    for (number, (name, designs)) in applications.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(out, "<g fill=\"{colour}\" fill-opacity=\".75\">");
        for one in designs {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{name} {}</title></circle>",
                x(one.measured),
                y(one.predicted),
                escaped(&one.variant)
            );
        }
        let at = TOP + 16.0 + 24.0 * number as f64;
        let _ = writeln!(
            out,
            "<circle cx=\"{:.0}\" cy=\"{at:.0}\" r=\"5\"/></g>\n<text x=\"{:.0}\" y=\"{:.0}\">{name}</text>",
            RIGHT + 24.0,
            RIGHT + 38.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{RIGHT}\" y=\"{:.0}\" text-anchor=\"end\">measured</text>\n<text x=\"{:.0}\" \
         y=\"{:.0}\">predicted; dashed: twice and half</text>\n</svg>",
        BOTTOM + 40.0,
        LEFT + 8.0,
        TOP + 14.0
    );
    Ok(out)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
app  family  variant                      measured ms    model ms  ratio    MHz  model  ALUT k   model
MM   SWI     a  b                               10.000      12.000   1.20    200    210    50.0    60.0 ram 100 120 mem 1.000
MM   NDRange basic                             100.000      50.000   0.50    200    210    50.0    60.0 ram 100 120 mem 1.000
KM   NDRange x<y                                 1.000       1.100   1.10    200    210    50.0    60.0 ram 100 120 mem 1.000
Right family 2 of 2
";

    #[test]
    fn rows_become_points_and_other_lines_do_not() {
        let designs: Vec<Design> = ROWS.lines().filter_map(design).collect();
        assert_eq!(designs.len(), 3);
        assert_eq!(designs[0].variant, "SWI a b");
        assert_eq!((designs[1].measured, designs[1].predicted), (100.0, 50.0));
        assert!((median_error(&designs) - 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_point_lies_on_the_diagonal_if_it_is_predicted_right() {
        let chart = svg(&ROWS.replace("12.000", "10.000")).unwrap();
        assert!(chart.contains("3 designs"), "{chart}");
        assert!(chart.contains("x&lt;y"), "{chart}");
        // 10 ms is halfway between 1 ms and 100 ms, in both directions.
        let middle = format!(
            "cx=\"{:.1}\" cy=\"{:.1}\"",
            (LEFT + RIGHT) / 2.0,
            (TOP + BOTTOM) / 2.0
        );
        assert!(chart.contains(&middle), "{chart}");
        assert!(svg("nothing").is_err());
    }
}
