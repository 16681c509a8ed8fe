//! Loops of a wave, as far as it is known what they do.

use fpgacc_frontend::ir::{ExprId, Function, Stmt, VarId};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::trip_count::Counting;

use super::best::Best;
use super::element::Rolling;
use super::extrema::Extremum;
use super::held::Held;
use super::space::Affine;

/// Loops of a wave. Coordinates are the numbers of iterations: of the outer loop the time, of the inner one the lane.
pub struct Phase {
    /// How the outer loop counts, and the inner one.
    pub counts: [Counting; 2],
    /// What is done in each lane, without the conditions that are among the guards.
    pub body: Vec<Stmt>,
    /// All of a lane's statements, where some that matter are not under all guards.
    pub unguarded: Option<Vec<Stmt>>,
    /// The arrays that it stores in and reads.
    pub tables: Vec<Table>,
    /// Reads of these.
    pub reads: Vec<Own>,
    /// Elements of other arrays, which it only stores, and what holds where it does.
    pub stored: Vec<(Affine, Vec<Affine>)>,
    /// These arrays.
    pub others: Vec<VarId>,
    /// Minima and maxima of all points.
    pub extrema: Vec<Extremum>,
    /// Where the best of all points is.
    pub bests: Vec<Best>,
    /// What holds where a lane does something in a step.
    pub guards: Vec<Affine>,
    /// Where it stands.
    pub span: Option<Span>,
    /// The loops.
    pub whole: Stmt,
}

/// An array in which each point stores an element.
pub struct Table {
    /// The array.
    pub array: VarId,
    /// The assignments: a point gets to one of them.
    pub stores: Vec<ExprId>,
    /// The element that they write, as an expression.
    pub element: ExprId,
    /// The element that they write, without the row if rows are used by turns.
    pub at: Affine,
    /// What holds beside the guards where they do.
    pub held: Vec<Affine>,
    /// The row, where rows are used by turns.
    pub rolling: Option<Rolling>,
    /// The indices of what would be stored in the step before the first.
    pub before_first: Vec<Affine>,
}

/// A read of an array that is written.
pub struct Own {
    /// The expression.
    pub expr: ExprId,
    /// Which of the tables.
    pub table: usize,
    /// Its element, without the row.
    pub at: Affine,
    /// The row, where rows are used by turns.
    pub rolling: Option<Rolling>,
    /// What holds where it is read.
    pub held: Vec<Held>,
    /// It comes after the store of the same point.
    pub is_after: bool,
}

impl Phase {
    /// The number of the statement of the body that an expression stands in.
    pub fn statement_of(&self, function: &Function, id: ExprId) -> Option<usize> {
        let mut stmts = self.body.iter();
        stmts.position(|stmt| stmt.any_expr(&function.exprs, &mut |part| part == id))
    }
}
