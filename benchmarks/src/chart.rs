//! A chart of predicted against measured times, made of the rows that `fpgacc-bench model --rows` and
//! `fpgacc-bench spector --rows` print.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 620.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 390.0;

/// A collection of measured designs: what the legend says of it, and a colour that light and dark pages show well.
#[derive(Debug, PartialEq)]
struct Collection {
    board: &'static str,
    source: &'static str,
    colour: &'static str,
}

const BOYI: Collection = Collection {
    board: "Arria 10",
    source: "Boyi",
    colour: "#3b7dd8",
};
const SPECTOR: Collection = Collection {
    board: "Stratix V",
    source: "Spector",
    colour: "#d9622b",
};

/// A measured design. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq)]
struct Design {
    collection: &'static Collection,
    name: String,
    measured: f64,
    predicted: f64,
}

/// A row of `model` ends with measured and predicted time, their ratio, two clocks, two areas, `ram` with two
/// numbers and `mem` with one.
const TIMES_FROM_END: usize = 12;

fn design(line: &str) -> Option<Design> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let time = |at: usize| words[at].parse().ok().filter(|ms: &f64| *ms > 0.0);
    let made = |collection, name: &[&str], measured, predicted| {
        Some(Design {
            collection,
            name: name.join(" "),
            measured: time(measured)?,
            predicted: time(predicted)?,
        })
    };
    // `spmv 50% 16,1,8 12.3 ms 11.2 ms 0.91 | ..`
    let unit = words.iter().position(|word| *word == "ms");
    if let Some(unit) = unit.filter(|at| *at > 1 && words.get(at + 4) == Some(&"|")) {
        return made(&SPECTOR, &words[..unit - 1], unit - 1, unit + 1);
    }
    let at = words.len().checked_sub(TIMES_FROM_END)?;
    if at < 3 || words[at + 7] != "ram" {
        return None;
    }
    made(&BOYI, &words[..at], at, at + 1)
}

/// The middle one of the errors, a part of the measured time.
fn median_error<'a>(designs: impl Iterator<Item = &'a Design>) -> f64 {
    let mut errors: Vec<f64> = designs
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
    let scale = Scale::of(&designs);
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
        "<text class=\"title\" x=\"{LEFT}\" y=\"24\">{} designs on two boards: the median error is {:.0} %</text>",
        designs.len(),
        median_error(designs.iter()) * 100.0
    );
    scale.grid(&mut out);
    scale.diagonals(&mut out);
    let shown = [&SPECTOR, &BOYI].map(|collection| {
        let own = designs.iter().filter(|one| one.collection == collection);
        (collection, own.collect::<Vec<_>>())
    });
    let shown = shown.iter().filter(|(_, own)| !own.is_empty());
    for (number, (collection, designs)) in shown.enumerate() {
        scale.points(&mut out, collection, designs, number);
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

/// Both axes: powers of ten of a millisecond.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// The axes that hold all times.
    fn of(designs: &[Design]) -> Self {
        let times = designs.iter().flat_map(|one| [one.measured, one.predicted]);
        let (low, high) = times.fold((f64::MAX, 0.0_f64), |(low, high), time| {
            (low.min(time), high.max(time))
        });
        Scale {
            low: low.log10().floor(),
            high: high.log10().ceil(),
        }
    }

    fn part(&self, time: f64) -> f64 {
        (time.log10() - self.low) / (self.high - self.low)
    }

    fn x(&self, time: f64) -> f64 {
        LEFT + self.part(time) * (RIGHT - LEFT)
    }

    fn y(&self, time: f64) -> f64 {
        BOTTOM - self.part(time) * (BOTTOM - TOP)
    }

    /// A line for each power of ten.
    fn grid(&self, out: &mut String) {
        for power in (self.low as i32)..=(self.high as i32) {
            let time = 10f64.powi(power);
            let (at, up) = (self.x(time), self.y(time));
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
    }

    /// Where predictions are right, and where they are twice and half of what was measured.
    fn diagonals(&self, out: &mut String) {
        let (least, most) = (10f64.powf(self.low), 10f64.powf(self.high));
        for (class, factor) in [("same", 1.0), ("twice", 2.0), ("twice", 0.5)] {
            let from = if factor < 1.0 { least / factor } else { least };
            let to = if factor > 1.0 { most / factor } else { most };
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                self.x(from),
                self.y(from * factor),
                self.x(to),
                self.y(to * factor)
            );
        }
    }

    /// The designs of a collection, and what stands of it beside the chart.
    fn points(
        &self,
        out: &mut String,
        collection: &Collection,
        designs: &[&Design],
        number: usize,
    ) {
        let _ = writeln!(
            out,
            "<g fill=\"{}\" fill-opacity=\".6\">",
            collection.colour
        );
        for one in designs {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}</title></circle>",
                self.x(one.measured),
                self.y(one.predicted),
                escaped(&one.name)
            );
        }
        let at = TOP + 16.0 + 84.0 * number as f64;
        let _ = writeln!(
            out,
            "<circle cx=\"{:.0}\" cy=\"{at:.0}\" r=\"5\"/></g>",
            RIGHT + 20.0
        );
        let error = median_error(designs.iter().copied()) * 100.0;
        let lines = [
            collection.board.to_string(),
            collection.source.to_string(),
            format!("{} designs", designs.len()),
            format!("error {error:.0} %"),
        ];
        for (line, text) in lines.iter().enumerate() {
            let (left, low) = (RIGHT + 32.0, at + 4.0 + 18.0 * line as f64);
            let _ = writeln!(out, "<text x=\"{left:.0}\" y=\"{low:.0}\">{text}</text>");
        }
    }
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
spmv 50%   16,1,8      20.0000 ms   30.0000 ms   1.50 |  200  210 MHz |    5000    6000 ALM |   10    12 RAM |    1    1 DSP
mm               1   1.00   1.00    1.50     0%   100%   100%
";

    #[test]
    fn rows_become_points_and_other_lines_do_not() {
        let designs: Vec<Design> = ROWS.lines().filter_map(design).collect();
        assert_eq!(designs.len(), 4);
        assert_eq!(designs[0].name, "MM SWI a b");
        assert_eq!((designs[1].measured, designs[1].predicted), (100.0, 50.0));
        assert_eq!(designs[3].name, "spmv 50% 16,1,8");
        assert_eq!((designs[3].measured, designs[3].predicted), (20.0, 30.0));
        assert_eq!(
            [&designs[0], &designs[3]].map(|one| one.collection.board),
            ["Arria 10", "Stratix V"]
        );
        assert!((median_error(designs[..3].iter()) - 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_point_lies_on_the_diagonal_if_it_is_predicted_right() {
        let chart = svg(&ROWS.replace("12.000", "10.000")).unwrap();
        assert!(chart.contains("4 designs"), "{chart}");
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
