//! Reports of aoc 16: lists of `functions`. Those of the loops are blocks, whose kernels stand in the system
//! viewer's tree; those of the area are kernels.

use std::collections::BTreeMap;

use fpgacc_decision::Family;
use fpgacc_decision::measured::{Measured, MeasuredLoop};
use fpgacc_performance_model::Resources;
use serde_json::Value;

use super::{children, line, number, text};

/// What the three parts report of each kernel.
pub fn collect(loops: &Value, viewer: &Value, area: Option<&Value>, measured: &mut Measured) {
    let blocks = blocks(viewer);
    for (kernel, _) in blocks.values() {
        measured.kernels.entry(kernel.clone()).or_default();
    }
    for one in children(loops, "functions") {
        let Some((kernel, is_pipelined)) = blocks.get(block_name(one)) else {
            continue;
        };
        let found = measured.kernels.entry(kernel.clone()).or_default();
        // Only loops of single work-items are pipelined. The table gives others an interval beyond all bounds.
        if *is_pipelined {
            found.family = Some(Family::SingleWorkItem);
        }
        let interval = children(one, "data").get(1).and_then(number);
        found.loops.push(MeasuredLoop {
            line: line(one),
            unroll: 1,
            ii: interval.filter(|_| *is_pipelined),
        });
    }
    for kernel in area.map_or(&[][..], |area| children(area, "functions")) {
        if let Some(found) = measured.kernels.get_mut(text(kernel, "name")) {
            found.area = Some(area_of(kernel));
        }
    }
}

/// The kernel of each block, and whether its iterations overlap.
fn blocks(viewer: &Value) -> BTreeMap<&str, (String, bool)> {
    let kernels = children(viewer, "nodes").iter();
    let kernels = kernels.filter(|node| text(node, "type") == "kernel");
    let blocks = kernels.flat_map(|kernel| {
        let own = children(kernel, "children").iter();
        own.filter(|node| text(node, "type") == "bb").map(|block| {
            let is_pipelined = text(block, "isPipelined") == "Yes";
            (
                block_name(block),
                (text(kernel, "name").to_string(), is_pipelined),
            )
        })
    });
    blocks.collect()
}

/// `Block3.wii_blk`: a block of what is the same for all work-items.
fn block_name(node: &Value) -> &str {
    let name = text(node, "name");
    name.split_once('.').map_or(name, |(block, _)| block)
}

/// The sum of what a kernel and its blocks list.
fn area_of(kernel: &Value) -> Resources {
    let blocks = children(kernel, "basicblocks").iter();
    let of_blocks =
        blocks.flat_map(|block| ["resources", "computation"].map(|key| children(block, key)));
    let all = of_blocks.chain([children(kernel, "resources")]).flatten();
    let mut sum = [0.0; 4];
    for one in all {
        let numbers = children(one, "data").iter().filter_map(number);
        for (total, more) in sum.iter_mut().zip(numbers) {
            *total += more;
        }
    }
    let [alut, ff, ram, dsp] = sum;
    Resources { alut, ff, ram, dsp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_given_to_their_kernels() {
        let loops = serde_json::json!({"columns": ["Pipelined", "II", "Bottleneck"], "functions": [
            {"name": "Block1", "data": ["Yes", "32758", "n/a"], "debug": [[{"filename": "k.cl", "line": 4}]]},
            {"name": "Block2", "data": ["Yes", "6", "II"], "debug": [[{"filename": "k.cl", "line": 5}]]},
            {"name": "Block7", "data": ["No", "n/a", "n/a"], "debug": [[]]}]});
        let viewer = serde_json::json!({"nodes": [
            {"type": "kernel", "name": "sum", "children": [
                {"type": "bb", "name": "Block0"},
                {"type": "bb", "name": "Block1", "isPipelined": "No"},
                {"type": "bb", "name": "Block2", "isPipelined": "Yes"}]},
            {"type": "kernel", "name": "items", "children": [
                {"type": "bb", "name": "Block7.wii_blk", "isPipelined": "No"}]},
            {"type": "memtype", "name": "Global Memory"}]});
        let area = serde_json::json!({"functions": [
            {"name": "sum", "resources": [{"name": "Function overhead", "data": [1570, 1685, 0, 0]}],
             "basicblocks": [{"name": "Block1",
                "resources": [{"name": "State", "data": [32, 32, 1, 0]}],
                "computation": [{"name": "k.cl:5", "data": [15.5, 3, 2, 1],
                                 "subinfos": [{"info": {"name": "Add", "data": [15.5, 3, 2, 1]}}]}]}]}]});
        let mut measured = Measured::default();
        collect(&loops, &viewer, Some(&area), &mut measured);
        let sum = &measured.kernels["sum"];
        let found: Vec<_> = sum.loops.iter().map(|one| (one.line, one.ii)).collect();
        assert_eq!(found, [(Some(4), None), (Some(5), Some(6.0))]);
        assert_eq!(sum.family, Some(Family::SingleWorkItem));
        let expected = Resources {
            alut: 1617.5,
            ff: 1720.0,
            ram: 3.0,
            dsp: 1.0,
        };
        assert_eq!(sum.area, Some(expected));
        let items = &measured.kernels["items"];
        assert_eq!((items.family, items.area), (None, None));
        assert_eq!((items.loops[0].line, items.loops[0].ii), (None, None));
    }
}
