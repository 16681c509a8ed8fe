//! Messages in SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), which editors and code scanning read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::record::{Extent, Record};

/// A log with one run of fpgacc.
pub fn text(records: &[Record]) -> String {
    let rules: BTreeSet<&str> = records.iter().map(rule).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let results: Vec<Value> = records.iter().map(result).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fpgacc",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// The name of what a message is an instance of: its option without `-W`, `-Wno-` or `-Rpass=`; its kind where it has
/// no option.
fn rule(record: &Record) -> &str {
    let Some(option) = record.option.as_deref() else {
        return record.kind;
    };
    let name = option.rsplit_once('=').map_or(option, |(_, name)| name);
    name.trim_start_matches("-W").trim_start_matches('-')
}

fn result(record: &Record) -> Value {
    let (placed, unplaced): (Vec<_>, Vec<_>) = record
        .children
        .iter()
        .partition(|(position, _)| position.is_some());
    let mut message = record.message.clone();
    for (_, text) in unplaced {
        message.push('\n');
        message.push_str(text);
    }
    let related = placed.iter().filter_map(|(position, text)| {
        let mut value = location(position.as_ref()?);
        value["message"] = json!({ "text": text });
        Some(value)
    });
    let related: Vec<Value> = related.collect();
    let positions: Vec<Value> = record.position.iter().map(location).collect();
    let mut value = json!({
        "ruleId": rule(record),
        "level": match record.kind {
            "error" => "error",
            "warning" => "warning",
            _ => "note",
        },
        "message": { "text": message },
        "locations": positions,
    });
    if !related.is_empty() {
        value["relatedLocations"] = json!(related);
    }
    value
}

fn location(position: &Extent) -> Value {
    let mut region =
        json!({ "startLine": position.start.0, "startColumn": position.start.1.max(1) });
    if let Some((line, column)) = position.end {
        region["endLine"] = json!(line);
        region["endColumn"] = json!(column.max(1));
    }
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&position.file) },
        "region": region,
    } })
}

/// A path as a relative reference (RFC 3986): what may not stand in one is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_called_by_their_options() {
        for (option, name) in [
            ("-Wkernel-arguments", "kernel-arguments"),
            ("-Wunused-variable", "unused-variable"),
            ("-Rpass-missed=restrict", "restrict"),
        ] {
            let record = Record {
                kind: "warning",
                message: String::new(),
                option: Some(option.to_string()),
                position: None,
                children: Vec::new(),
            };
            assert_eq!(rule(&record), name);
        }
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("a b/ü.cl"), "a%20b/%C3%BC.cl");
    }
}
