//! The kernel IR: OpenCL C after parsing and type checking, before printing.
//!
//! # The contract
//!
//! A [`Module`] is one translation unit. It is *structured* (there are loops, branches and
//! switches, no basic blocks), *resolved* (every use of a variable, function, field or type is a
//! handle), and *typed* (every expression has a type). It keeps what a person wrote: names,
//! typedefs, spelled literals, attributes, pragmas. `kernel::parse` makes it, `kernel::validate`
//! checks it, `kernel::print` writes it as OpenCL C; only a validated module can be printed.
//!
//! **Arenas.** Types, records, enums, typedefs, globals and functions live in arenas of the module;
//! a function's variables and expressions live in arenas of the function. Handles ([`TypeId`],
//! [`VarId`], [`ExprId`], ..) are small, `Copy`, and only mean something with their own arena.
//! Statements are a tree that owns its children ([`Block`]); they hold expressions by handle.
//!
//! **Expression trees.** An expression is used by exactly one parent: the arena holds a forest, not
//! a graph. To use an expression twice, copy it ([`Exprs::duplicate`]). An expression that no
//! statement reaches is dead and harmless. To rewrite an expression in place, overwrite its slot
//! ([`Exprs::replace`]): its parent sees the new one. Spans lie beside the nodes.
//!
//! **Effects.** Statements have effects. Expressions are pure, except [`Expr::Assign`],
//! [`Expr::IncDec`], and [`Expr::Call`] of a function or builtin with effects; whatever contains
//! one of them has effects too ([`Exprs::has_effects`]). C's rules of order hold: `&&`, `||`, `?:`
//! and `,` sequence their operands, nothing else does; `sizeof` does not evaluate its operand.
//!
//! **Types of expressions.** [`Exprs::ty`] is the type of the value that the expression yields,
//! after C's and OpenCL's own rules: integer promotions and usual arithmetic conversions for
//! scalars, widening of a scalar beside a vector, `int` (scalars) or signed integer vectors
//! for comparisons. Implicit conversions are *not* nodes: where an operand's type differs from what
//! its operator, assignment, call or return needs, C converts. An lvalue keeps its type; arrays do
//! not decay in [`Exprs::ty`] (an index or addition on an array is an index on its first element).
//! Qualifiers and address spaces belong to variables and pointees, not to values.
//!
//! **Address spaces.** A variable's own space is [`Variable::space`]; a pointer type has the space of
//! what it points to. Kernel pointer parameters are `Global`, `Constant` or `Local`. A pointer that
//! the source leaves without a space is `Private` in OpenCL C 1.x and `Generic` in 2.0.
//!
//! **Names and scopes.** Variables have the source's names; two variables of one function may share
//! a name in different scopes, as C allows. A declaration is a [`StmtKind::Decl`] inside a block (or
//! a `for`'s init); the variable is visible from there to the end of that block. A use must resolve,
//! by C's rules, to the variable that its handle names: the validator checks it. A pass that moves
//! or copies statements calls [`Function::make_names_unique`] first.
//!
//! **Control.** `break`, `continue` and `return` mean what they mean in C. The arms of a switch fall
//! through. `goto` is kept so that such code prints again, and every pass leaves such a function
//! alone. A barrier is a call of the builtin `barrier` or `work_group_barrier`.
//!
//! **Members.** A field of an anonymous struct or union member is reached by a chain of
//! [`Expr::Member`]s, one of them naming the field without a name; it is written without it. Types
//! and constants that a function declares stand at file scope, before the function, under
//! names that nothing there has. `true` and `false` are [`Expr::Int`]s of type `bool`.
//!
//! **Overloads.** Functions with the attribute `overloadable` may share a name; a call's handle says
//! which one is meant.
//!
//! **Positions.** A statement or expression that comes from the source has a span; what a pass makes
//! has the span of what it was made from, or none.

mod arena;
mod build;
mod expr;
mod layout;
mod module;
mod names;
mod stmt;
mod types;
mod walk;

pub use arena::{Arena, Id, SharedArena};
pub use expr::{
    BinaryOp, Callee, Expr, ExprId, Exprs, IncDecOp, Init, InitItem, InitStep, SizeOfArg, UnaryOp,
};
pub use layout::Layout;
pub use module::{
    Attr, Dialect, Enum, EnumId, Enumerator, Field, Function, FunctionId, Global, GlobalId, Item,
    Module, Record, RecordId, RecordKind, Storage, Typedef, TypedefId, VarId, VarRef, Variable,
};
pub use names::FileNames;
pub use stmt::{Arm, Block, CaseLabel, LoopHints, Stmt, StmtKind};
pub use types::{AddressSpace, QualType, Qualifiers, Scalar, Type, TypeId, Types};
pub use walk::builtin_has_effects;
