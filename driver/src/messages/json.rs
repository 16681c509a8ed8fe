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
        .map(|(place, message)| {
            json!({ "kind": "note", "message": message, "locations": locations(place.as_ref()) })
        })
        .collect();
    let mut value = json!({
        "kind": record.kind,
        "message": record.message,
        "locations": locations(record.place.as_ref()),
        "children": children,
        "column-origin": 1,
    });
    if let Some(option) = &record.option {
        value["option"] = json!(option);
    }
    value
}

fn locations(place: Option<&Extent>) -> Vec<Value> {
    let point = |file: &str, (line, column): (u32, u32)| json!({ "file": file, "line": line, "column": column, "display-column": column });
    let one = |place: &Extent| {
        let mut value = json!({ "caret": point(&place.file, place.start) });
        if let Some((line, column)) = place.end {
            // The last column, not the one after it.
            value["finish"] = point(&place.file, (line, column.saturating_sub(1).max(1)));
        }
        value
    };
    place.map(one).into_iter().collect()
}
