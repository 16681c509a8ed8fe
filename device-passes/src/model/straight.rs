//! A first price: operations and loops counted from the text.

use fpgacc_frontend::ir::{
    BinaryOp, Block, Expr, ExprId, Function, FunctionId, Module, Stmt, StmtKind,
};

use super::board::{Board, Resources};
use super::estimate::Estimate;
use super::launch::LaunchShape;
use super::prediction::*;
use crate::analysis::trip_count::{Constants, trip_count};
use crate::pass::LaunchContract;

const ASSUMED_TRIPS: f64 = 64.0;
const ASSUMED_ITEMS: f64 = 65536.0;

struct Walk<'a> {
    module: &'a Module,
    function: &'a Function,
    board: &'a Board,
    constants: Constants<'a>,
    loops: Vec<LoopReport>,
    area: Resources,
    assumed: Vec<String>,
}

pub(super) fn price(
    module: &Module,
    kernel: FunctionId,
    board: &Board,
    launch: &LaunchShape,
    _contract: &LaunchContract,
    form: Form,
) -> Prediction {
    let function = &module.functions[kernel];
    let mut walk = Walk {
        module,
        function,
        board,
        constants: Constants::new(module, function),
        loops: Vec::new(),
        area: board.family().kernel_overhead,
        assumed: Vec::new(),
    };
    let empty = Block::default();
    let body = function.body.as_ref().unwrap_or(&empty);
    let iterations = walk.block(body, 0).max(1.0);
    let (items, copies) = match form {
        Form::SingleWorkItem => (1.0, 1.0),
        Form::NdRange {
            simd,
            compute_units,
        } => {
            let known: Option<f64> = launch.global.iter().map(|g| g.map(|g| g.value)).product();
            if known.is_none() {
                walk.assumed
                    .push(format!("the launch has {ASSUMED_ITEMS} work-items"));
            }
            (
                known.unwrap_or(ASSUMED_ITEMS),
                (simd * compute_units) as f64,
            )
        }
    };
    let cycles = Estimate::within(items * iterations / copies + 200.0, 2.0);
    let clock = Estimate::within(board.clock.typical_mhz, 1.3);
    let seconds = cycles.over(clock * 1e6) + Estimate::exact(board.launch_microseconds * 1e-6);
    let used = walk.area;
    let each = |value: f64| Estimate::within(value * copies, 1.5);
    let (device, interface) = (board.device, board.interface);
    let fits = used.alut * copies + interface.alut <= device.alut
        && used.ff * copies + interface.ff <= device.ff
        && used.ram * copies + interface.ram <= device.ram
        && used.dsp * copies + interface.dsp <= device.dsp;
    Prediction {
        form,
        cycles,
        clock_mhz: clock,
        seconds,
        area: Area {
            alut: each(used.alut),
            ff: each(used.ff),
            ram: each(used.ram),
            dsp: each(used.dsp),
        },
        fits,
        memory_seconds: 0.0,
        loops: walk.loops,
        lsus: Vec::new(),
        assumed: walk.assumed,
    }
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, depth: usize) -> f64 {
        block.stmts.iter().map(|stmt| self.stmt(stmt, depth)).sum()
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) -> f64 {
        for expr in stmt.exprs() {
            self.expr(expr);
        }
        let body = match &stmt.kind {
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => body,
            _ => {
                let lists = stmt.lists();
                return lists
                    .into_iter()
                    .flatten()
                    .map(|inner| self.stmt(inner, depth))
                    .sum();
            }
        };
        let trip = match trip_count(&self.constants, stmt) {
            Some(count) => Trip {
                value: count as f64,
                origin: TripOrigin::Known,
            },
            None => Trip {
                value: ASSUMED_TRIPS,
                origin: TripOrigin::Assumed,
            },
        };
        self.loops.push(LoopReport {
            span: stmt.span,
            depth,
            trip,
            unroll: 1,
            ii: 1.0,
            limit: Limit::None,
            pipelined: Pipelining::Pipelined,
            latency: 100.0,
        });
        trip.value * self.block(body, depth + 1).max(1.0)
    }

    fn expr(&mut self, root: ExprId) {
        let exprs = &self.function.exprs;
        let operators = &self.board.family().operators;
        let mut area = self.area;
        exprs.for_each(root, &mut |id| {
            let scalar = self.module.types.as_scalar(exprs.ty(id));
            let is_float = scalar.is_some_and(|s| s.is_float());
            let (Expr::Binary { op, .. } | Expr::Assign { op: Some(op), .. }) = exprs.get(id)
            else {
                return;
            };
            let operator = match (op, is_float) {
                (BinaryOp::Add | BinaryOp::Sub, true) => operators.float_add,
                (BinaryOp::Mul, true) => operators.float_multiply,
                (BinaryOp::Div, true) => operators.float_divide,
                (BinaryOp::Mul, false) => operators.int_multiply,
                (BinaryOp::Div | BinaryOp::Rem, false) => operators.int_divide,
                _ => operators.int_add,
            };
            area = area.plus(operator.resources(), 1.0);
        });
        self.area = area;
    }
}
