//! `--use-report`: what aoc said of kernels that it compiled.
//!
//! aoc leaves a folder `reports` beside what it makes (`aoc -rtl`, and every full compilation). Its
//! pages read JSON, in files of their own or as variables of `report_data.js`; names and shapes
//! changed with the versions: a list of `functions` (16), a tree of `children` under `Kernel: name`
//! (17 to 19), and `loop_attr` with a node for each loop (from 19 on). The clock is Quartus's, in
//! `quartus.json` or in `acl_quartus_report.txt`, if it ran.

mod functions;

use std::path::{Path, PathBuf};

use fpgacc_decision::Family;
use fpgacc_decision::measured::{Measured, MeasuredLoop};
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_performance_model::Resources;
use serde_json::Value;

use crate::session::{Session, Step};

/// Reads the report that the options name, once.
pub fn load(session: &mut Session) -> Step<()> {
    let Some(folder) = session.options.aoc_report.clone() else {
        return Ok(());
    };
    if session.measured.is_some() {
        return Ok(());
    }
    let texts = Texts::read(&folder);
    let measured = texts.measured();
    if measured.kernels.is_empty() {
        let message = format!("there is no report of aoc in '{}'", folder.display());
        return session.fail(Diagnostic::error(message).help(
            "name the folder that aoc made (aoc -rtl makes one in minutes); its folder `reports` \
             holds report_data.js or JSON files",
        ));
    }
    for path in texts.paths {
        session.dependencies.add_source(&path);
    }
    session.measured = Some(measured);
    Ok(())
}

/// The parts of a report that are used, as far as they are there.
#[derive(Default)]
struct Texts {
    paths: Vec<PathBuf>,
    loops: Option<Value>,
    loop_attr: Option<Value>,
    summary: Option<Value>,
    area: Option<Value>,
    /// The tree of the system viewer.
    viewer: Option<Value>,
    quartus: Option<Value>,
    /// `acl_quartus_report.txt`
    fitted: Option<String>,
}

impl Texts {
    fn read(folder: &Path) -> Self {
        let mut texts = Texts::default();
        let folders = ["reports/lib", "reports/resources", "lib", "resources", ""];
        for part in folders.map(|part| folder.join(part)) {
            for (name, variable) in PARTS {
                let file = part.join("json").join(format!("{name}.json"));
                let found = texts.file(&file);
                let value = found.and_then(|text| serde_json::from_str(&text).ok());
                texts.set(variable, value);
            }
            for script in ["report_data.js", "quartus_data.js"] {
                if let Some(text) = texts.file(&part.join(script)) {
                    for (_, variable) in PARTS {
                        texts.set(variable, variable_of(&text, variable));
                    }
                }
            }
        }
        for path in [
            folder.join("acl_quartus_report.txt"),
            folder.join("build/acl_quartus_report.txt"),
        ] {
            if let Some(text) = texts.file(&path) {
                texts.fitted.get_or_insert(text);
            }
        }
        texts
    }

    fn file(&mut self, path: &Path) -> Option<String> {
        let bytes = std::fs::read(path).ok()?;
        self.paths.push(path.to_path_buf());
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The first that is found counts.
    fn set(&mut self, variable: &str, value: Option<Value>) {
        let part = match variable {
            "loopsJSON" => &mut self.loops,
            "loop_attrJSON" => &mut self.loop_attr,
            "summaryJSON" => &mut self.summary,
            "areaJSON" => &mut self.area,
            "mavJSON" => &mut self.viewer,
            _ => &mut self.quartus,
        };
        if part.is_none() {
            *part = value;
        }
    }

    fn measured(&self) -> Measured {
        let mut measured = Measured {
            clock_mhz: self.clock(),
            ..Measured::default()
        };
        if let Some(summary) = &self.summary {
            summarise(summary, &mut measured);
        }
        if let Some(loops) = &self.loops {
            for kernel in children(loops, "children") {
                let name = text(kernel, "name")
                    .trim_start_matches("Kernel: ")
                    .to_string();
                let found = measured.kernels.entry(name).or_default();
                if brief(kernel).contains("ND-Range") || brief(kernel).contains("NDRange") {
                    found.family.get_or_insert(Family::NdRange);
                }
                let column = interval_column(loops);
                collect_loops(kernel, column, &mut found.loops);
            }
        }
        if let (Some(loops), Some(viewer)) = (&self.loops, &self.viewer)
            && loops.get("functions").is_some()
        {
            functions::collect(loops, viewer, self.area.as_ref(), &mut measured);
        }
        if let Some(attributes) = &self.loop_attr {
            for kernel in children(attributes, "nodes") {
                let name = text(kernel, "name").to_string();
                let found = measured.kernels.entry(name).or_default();
                let mut loops = Vec::new();
                collect_attributes(kernel, &mut loops);
                // These have intervals of all versions' loops.
                if !loops.is_empty() {
                    found.loops = loops;
                }
            }
        }
        measured
    }

    /// The clock that kernels run at, in MHz.
    fn clock(&self) -> Option<f64> {
        let node = self.quartus.as_ref().and_then(|quartus| {
            let summary = quartus.get("quartusFitClockSummary")?;
            summary.get("nodes")?.get(0)
        });
        let keys = ["kernel clock", "clock", "kernel clock fmax"];
        let fitted = node.and_then(|node| keys.iter().find_map(|key| number(node.get(*key)?)));
        fitted.or_else(|| {
            let text = self.fitted.as_deref()?;
            let after = |label: &str| {
                let line = text
                    .lines()
                    .find_map(|line| line.trim().strip_prefix(label))?;
                line.trim().replace(',', "").parse().ok()
            };
            after("Actual clock freq:").or_else(|| after("Kernel fmax:"))
        })
    }
}

/// Files, and the variables of scripts.
const PARTS: [(&str, &str); 6] = [
    ("loops", "loopsJSON"),
    ("loop_attr", "loop_attrJSON"),
    ("summary", "summaryJSON"),
    ("area", "areaJSON"),
    ("mav", "mavJSON"),
    ("quartus", "quartusJSON"),
];

/// The value of `var name={..};`, or of `var name='{..}';`, in a script.
fn variable_of(script: &str, name: &str) -> Option<Value> {
    let start = script.find(&format!("var {name}="))? + name.len() + 5;
    let rest = &script[start..];
    if let Some(quoted) = rest.strip_prefix('\'') {
        return serde_json::from_str(&unquoted(quoted)).ok();
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    values.next()?.ok()
}

/// What a string of JavaScript means, up to its closing quote.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => break,
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                other => out.extend(other),
            },
            _ => out.push(letter),
        }
    }
    out
}

fn children<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number, also one that is written as text: `"2"`, `"~5"`, `">=1"`.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let digits = text.trim().trim_start_matches(['~', '>', '=', '<']);
            digits.replace(',', "").parse().ok()
        }
        _ => None,
    }
}

/// All texts of an entry's details.
fn brief(value: &Value) -> String {
    let details = children(value, "details").iter();
    let texts = details.map(|one| one.as_str().unwrap_or_else(|| text(one, "text")));
    texts.collect::<Vec<_>>().join("\n")
}

fn line(value: &Value) -> Option<u32> {
    let position = value.get("debug")?.get(0)?.get(0)?;
    let line = number(position.get("line")?)?;
    (line >= 1.0).then_some(line as u32)
}

/// Where the interval stands in `data`: the columns may start with one for the name.
fn interval_column(loops: &Value) -> usize {
    let columns: Vec<&str> = children(loops, "columns")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let named = usize::from(columns.first().is_some_and(|name| name.is_empty()));
    let at = columns.iter().position(|name| *name == "II");
    at.map_or(1, |at| at - named.min(at))
}

/// `8X Partially unrolled k.B1`
fn copies(name: &str) -> u64 {
    let front = name
        .split_once("X Partially unrolled")
        .map(|(number, _)| number);
    front
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(1)
}

fn collect_loops(parent: &Value, column: usize, out: &mut Vec<MeasuredLoop>) {
    for child in children(parent, "children") {
        let name = text(child, "name");
        if !name.contains("Fully unrolled") && !name.contains("Coalesced") {
            out.push(MeasuredLoop {
                line: line(child),
                unroll: copies(name),
                ii: child.get("data").and_then(|data| number(data.get(column)?)),
            });
        }
        collect_loops(child, column, out);
    }
}

fn collect_attributes(parent: &Value, out: &mut Vec<MeasuredLoop>) {
    for child in children(parent, "children") {
        if text(child, "type") == "loop" {
            out.push(MeasuredLoop {
                line: line(child),
                unroll: copies(text(child, "name")),
                ii: child.get("ii").and_then(number),
            });
        }
        collect_attributes(child, out);
    }
}

/// Form and area of each kernel.
fn summarise(summary: &Value, measured: &mut Measured) {
    let tables = |name: &str| {
        summary
            .get(name)
            .map_or(&[][..], |table| children(table, "children"))
    };
    for kernel in tables("performanceSummary") {
        let found = measured
            .kernels
            .entry(text(kernel, "name").to_string())
            .or_default();
        let data = children(kernel, "data");
        let kind = data.first().and_then(Value::as_str).unwrap_or_default();
        found.family = match kind {
            "NDRange" => Some(Family::NdRange),
            "" => None,
            _ => Some(Family::SingleWorkItem),
        };
        let details = brief(kernel);
        let lanes = details.split("vectorized for ").nth(1);
        let lanes = lanes.and_then(|rest| rest.split(' ').next()?.parse().ok());
        let units = data.last().and_then(number);
        found.copies = Some((lanes.unwrap_or(1), units.map_or(1, |units| units as u64)));
    }
    let names: Vec<String> = measured.kernels.keys().cloned().collect();
    for row in tables("estimatedResources") {
        let name = text(row, "name");
        let numbers: Vec<f64> = children(row, "data").iter().filter_map(number).collect();
        if let ([alut, ff, ram, dsp, ..], true) = (&numbers[..], names.iter().any(|n| n == name)) {
            let found = measured.kernels.entry(name.to_string()).or_default();
            found.area = Some(Resources {
                alut: *alut,
                ff: *ff,
                ram: *ram,
                dsp: *dsp,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_loops_are_read() {
        let script = r#"var loopsJSON={"columns":["", "Pipelined", "II", "Bottleneck", "Details"],
            "children":[{"name":"Kernel: k","data":["","",""],"children":[
              {"name":"k.B1","data":["Yes","~5","II"],"debug":[[{"filename":"/x/k.cl","line":4}]],
               "children":[{"name":"Fully unrolled loop","data":["n/a","n/a","n/a"],"children":[]}]},
              {"name":"4X Partially unrolled k.B2","data":["Yes","1","n/a"],
               "debug":[[{"filename":"/x/k.cl","line":"9"}]]}]}]};var mavJSON={};"#;
        let texts = Texts {
            loops: variable_of(script, "loopsJSON"),
            ..Texts::default()
        };
        let loops = &texts.measured().kernels["k"].loops;
        let expected = [(Some(4), 1, Some(5.0)), (Some(9), 4, Some(1.0))];
        let found: Vec<_> = loops
            .iter()
            .map(|one| (one.line, one.unroll, one.ii))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(variable_of(script, "areaJSON"), None);
        let quoted = r#"var infoJSON='{"it\'s":"a \\"name\\""}';var fileJSON=[];"#;
        let value = serde_json::json!({"it's": "a \"name\""});
        assert_eq!(variable_of(quoted, "infoJSON"), Some(value));
    }

    #[test]
    fn attributes_of_loops_are_read() {
        let value = serde_json::json!({"nodes": [{"name": "k", "type": "kernel", "children": [
            {"name": "k.B0", "type": "bb", "ii": "1", "pl": "Yes"},
            {"name": "k.B1", "type": "loop", "ii": "n/a", "pl": "No",
             "debug": [[{"filename": "k.cl", "line": 7}]],
             "children": [{"name": "k.B2", "type": "loop", "ii": "3", "pl": "Yes"}]}]}]});
        let texts = Texts {
            loop_attr: Some(value),
            ..Texts::default()
        };
        let loops = &texts.measured().kernels["k"].loops;
        let found: Vec<_> = loops.iter().map(|one| (one.line, one.ii)).collect();
        assert_eq!(found, [(Some(7), None), (None, Some(3.0))]);
    }

    #[test]
    fn clocks_are_quartus_s() {
        let with = |text: &str| Texts {
            fitted: Some(text.to_string()),
            ..Texts::default()
        };
        let text = "ALUTs: 41262\nActual clock freq: 277.5\nKernel fmax: 281.1\n";
        assert_eq!(with(text).clock(), Some(277.5));
        assert_eq!(with("Kernel fmax: 281.1").clock(), Some(281.1));
        let quartus = |clock: &str| Texts {
            quartus: Some(serde_json::json!(
                {"quartusFitClockSummary": {"nodes": [{"kernel clock": clock}]}}
            )),
            ..Texts::default()
        };
        assert_eq!(quartus("302.1").clock(), Some(302.1));
        assert_eq!(quartus("TBD").clock(), None);
    }
}
