//! The clock that a kernel reaches.

use super::board::{Board, Resources};
use super::graph::Graph;

/// MHz: an empty kernel's clock, lowered by each share of the device in use.
pub fn predict(graph: &Graph, board: &Board, used: Resources) -> f64 {
    let device = board.device;
    let logic = (used.alut + board.interface.alut) / device.alut;
    let ram = (used.ram + board.interface.ram) / device.ram;
    let loops = (graph.regions.len() as f64 - 1.0).max(1.0);
    let fall = 0.9 * logic + 0.3 * ram + 0.02 * loops.ln();
    let clock = board.clock.highest_mhz * 0.82 * (-fall).exp();
    clock.clamp(board.clock.highest_mhz * 0.25, board.clock.highest_mhz)
}
