//! Statements.

use super::expr::{ExprId, Init};
use super::module::{Attr, VarId};
use crate::source::Span;

/// Statements between braces.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
}

/// A statement and where it comes from.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the source; `None` if a pass made it.
    pub span: Option<Span>,
}

impl Stmt {
    /// A statement that a pass makes.
    pub fn new(kind: StmtKind) -> Self {
        Stmt { kind, span: None }
    }

    /// A statement with a position.
    pub fn at(kind: StmtKind, span: Option<Span>) -> Self {
        Stmt { kind, span }
    }

    /// Whether it is a comment, which does nothing.
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, StmtKind::Comment(_))
    }
}

/// Pragmas and attributes before a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopHints {
    /// Without `#pragma`: `unroll 4`, `ivdep array(a)`, `ii 1`, ..
    pub pragmas: Vec<String>,
    /// Such as `opencl_unroll_hint(4)`.
    pub attrs: Vec<Attr>,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Declares a variable.
    Decl {
        /// The variable.
        var: VarId,
        /// Its first value.
        init: Option<Init>,
    },
    /// Evaluates an expression for its effects.
    Expr(ExprId),
    /// A block.
    Block(Block),
    /// `if`
    If {
        /// Condition.
        cond: ExprId,
        /// Taken if it is not 0.
        then: Block,
        /// Taken if it is 0.
        otherwise: Option<Block>,
    },
    /// `for`
    For {
        /// Declarations or one expression statement; scope is the loop.
        init: Vec<Stmt>,
        /// Condition; none means true.
        cond: Option<ExprId>,
        /// Evaluated after each iteration.
        step: Option<ExprId>,
        /// Body.
        body: Block,
        /// Pragmas and attributes.
        hints: LoopHints,
    },
    /// `while`
    While {
        /// Condition.
        cond: ExprId,
        /// Body.
        body: Block,
        /// Pragmas and attributes.
        hints: LoopHints,
    },
    /// `do .. while`
    DoWhile {
        /// Body.
        body: Block,
        /// Condition.
        cond: ExprId,
        /// Pragmas and attributes.
        hints: LoopHints,
    },
    /// `switch`. Control enters at the arm whose label fits and falls through to the next ones.
    /// Declarations of an arm are visible in the arms after it.
    Switch {
        /// The value looked at.
        value: ExprId,
        /// Its arms.
        arms: Vec<Arm>,
    },
    /// Leaves the innermost loop or switch.
    Break,
    /// Starts the innermost loop's next iteration.
    Continue,
    /// Leaves the function.
    Return(Option<ExprId>),
    /// `goto`
    Goto(String),
    /// A label, before the next statement.
    Label(String),
    /// A pragma that belongs to no loop, without `#pragma`.
    Pragma(String),
    /// A comment that a pass leaves for the reader.
    Comment(String),
}

/// Part of a switch.
#[derive(Clone, Debug)]
pub struct Arm {
    /// One or more labels.
    pub labels: Vec<CaseLabel>,
    /// What follows, up to the next label.
    pub body: Vec<Stmt>,
}

/// A label of a switch.
#[derive(Clone, Debug)]
pub enum CaseLabel {
    /// `case x:`
    Case(ExprId),
    /// `case x ... y:`
    Range(ExprId, ExprId),
    /// `default:`
    Default,
}
