//! Messages in the JSON of gcc (`-fdiagnostics-format=json`): an array of objects with `kind`, `message`, `option`,
//! `locations` and `children`.

use serde_json::{Value, json};

use super::record::{Extent, Record};

/// All messages, on one line.
pub fn text(records: &[Record]) -> String {
    let all: Vec<Value> = records.iter().map(record).collect();
    format!("{}\n", Value::from(all))
}

fn record(record: &Record) -> Value {
    let children = record.children.iter();
    let children: Vec<Value> = children
        .map(|(position, message)| {
            json!({ "kind": "note", "message": message, "locations": locations(position.as_ref()) })
        })
        .collect();
    let mut value = json!({
        "kind": record.kind,
        "message": record.message,
        "locations": locations(record.position.as_ref()),
        "children": children,
        "column-origin": 1,
    });
    if let Some(option) = &record.option {
        value["option"] = json!(option);
    }
    value
}

fn locations(position: Option<&Extent>) -> Vec<Value> {
    let point = |file: &str, (line, column): (u32, u32)| json!({ "file": file, "line": line, "column": column, "display-column": column });
    let one = |position: &Extent| {
        let mut value = json!({ "caret": point(&position.file, position.start) });
        if let Some((line, column)) = position.end {
            // The last column, not the one after it.
            value["finish"] = point(&position.file, (line, column.saturating_sub(1).max(1)));
        }
        value
    };
    position.map(one).into_iter().collect()
}
