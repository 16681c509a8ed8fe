//! Which arrays get longer rows, and what becomes of their indices.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Expr, ExprId, Function, FunctionId, Module, Qualifiers, StmtKind,
    TypeId, UnaryOp, VarId, VarRef,
};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::indices::Indices;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Nests;
use fpgacc_kernel_analysis::poly::{Poly, Sym};
use fpgacc_kernel_analysis::rows::{Element, Elements, InRows, Reach};

use crate::pass::Note;

/// The most bytes of an array with longer rows: emulators keep it on the stack.
const MOST: u64 = 256 << 10;
/// aoc keeps arrays of no more bytes in registers (best practices guide, "Private Memory").
const IN_REGISTERS: u64 = 64;

/// An array that gets longer rows.
pub struct Padded {
    /// It.
    pub array: VarId,
    /// Elements of its last dimension.
    pub len: u64,
    /// What becomes of indices.
    pub changes: Vec<Change>,
    /// The expressions that lead to elements, from the array's name on.
    pub chains: Vec<Vec<ExprId>>,
    /// What is done.
    pub done: Note,
}

/// A change of an index.
pub enum Change {
    /// A constant in it has this value.
    Constant(ExprId, i128),
    /// It is this sum.
    Sum(ExprId, Sum),
}

/// A sum of products.
pub struct Sum {
    /// What is multiplied, and by how much.
    pub terms: Vec<(Vec<Factor>, i128)>,
    /// What is added.
    pub constant: i128,
}

/// A part of a product.
#[derive(Clone, Copy)]
pub enum Factor {
    /// A loop's counter.
    Counter(VarId),
    /// A number that stays, as the source has it.
    Value(ExprId),
}

impl Padded {
    /// Whether indices name counters that they did not name before.
    pub fn names_counters(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| matches!(change, Change::Sum(..)))
    }
}

/// An array that might get longer rows.
struct Candidate {
    array: VarId,
    dims: Vec<u64>,
    /// Bytes of an element.
    bytes: u64,
}

/// Decides on each array of a kernel. Gives notes on those that stay as they are, too.
pub fn plan(
    module: &Module,
    kernel: FunctionId,
    called: &BTreeSet<FunctionId>,
) -> (Vec<Padded>, Vec<Note>) {
    let function = &module.functions[kernel];
    let candidates = candidates(module, function);
    let Some(body) = function.body.as_ref().filter(|_| !candidates.is_empty()) else {
        return Default::default();
    };
    if loops::has_labels(body) {
        return Default::default();
    }
    let aliases = Aliases::new(module, kernel, called);
    let nests = Nests::of(module, function);
    let stmts = body.stmts.iter();
    let parts = stmts.map(|stmt| Elements::of(&aliases, &nests, stmt));
    let mut planner = Planner {
        function,
        uses: uses(function),
        parts: parts.collect(),
    };
    let (mut planned, mut missed) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match planner.padded(&candidate) {
            Ok(padded) => planned.extend(padded),
            Err(note) => missed.push(note),
        }
    }
    (planned, missed)
}

/// The arrays on the chip that are declared without more ado.
fn candidates(module: &Module, function: &Function) -> Vec<Candidate> {
    let mut found = Vec::new();
    for stmt in function.body.iter().flat_map(|body| &body.stmts) {
        stmt.for_each(&mut |stmt| {
            let StmtKind::Decl { var, init: None } = stmt.kind else {
                return;
            };
            let variable = &function.vars[var];
            let is_plain = matches!(variable.space, AddressSpace::Private | AddressSpace::Local)
                && variable.attrs.is_empty();
            let dims = dims(module, variable.ty.ty, variable.ty.quals);
            if let Some((dims, bytes)) = dims.filter(|_| is_plain) {
                found.push(Candidate {
                    array: var,
                    dims,
                    bytes,
                });
            }
        });
    }
    found
}

/// The lengths of an array, and the bytes of an element.
fn dims(module: &Module, ty: TypeId, quals: Qualifiers) -> Option<(Vec<u64>, u64)> {
    if quals.contains(Qualifiers::VOLATILE) {
        return None;
    }
    let (element, len) = module.types.as_array(ty)?;
    if let Some((mut dims, bytes)) = dims(module, element.ty, element.quals) {
        dims.insert(0, len?);
        return Some((dims, bytes));
    }
    let is_plain = module.types.as_array(element.ty).is_none()
        && !element.quals.contains(Qualifiers::VOLATILE);
    let layout = module.layout(element.ty).filter(|_| is_plain)?;
    Some((vec![len?], layout.size))
}

/// How often each variable is named.
fn uses(function: &Function) -> BTreeMap<VarId, usize> {
    let mut uses = BTreeMap::new();
    if let Some(body) = &function.body {
        body.for_each_expr(&function.exprs, &mut |id| {
            if let Expr::Var(VarRef::Local(var)) = function.exprs.get(id) {
                *uses.entry(*var).or_default() += 1;
            }
        });
    }
    uses
}

/// An element of an array, by the part of the body that it is in and its number there.
type At = (usize, usize);

struct Planner<'a> {
    function: &'a Function,
    uses: BTreeMap<VarId, usize>,
    /// The statements of the body.
    parts: Vec<Elements<'a>>,
}

impl Planner<'_> {
    fn element(&self, (part, at): At) -> &Element {
        &self.parts[part].found[at]
    }

    /// The elements of an array that are accessed.
    fn elements(&self, array: VarId) -> Vec<At> {
        let parts = self.parts.iter().enumerate();
        let all = parts.flat_map(|(part, elements)| {
            let found = elements.found.iter().enumerate();
            found.map(move |(at, element)| ((part, at), element))
        });
        let own = all.filter(|(_, element)| element.array == array);
        own.map(|(at, _)| at).collect()
    }

    /// How an array gets longer rows; `Ok(None)`: its rows are no reason to.
    ///
    /// # Errors
    /// Why it does not.
    fn padded(&mut self, candidate: &Candidate) -> Result<Option<Padded>, Note> {
        let elements = self.elements(candidate.array);
        let len = candidate.dims.iter().product::<u64>();
        if elements.is_empty() || len.saturating_mul(candidate.bytes) <= IN_REGISTERS {
            return Ok(None);
        }
        let length = match candidate.dims.as_slice() {
            [len] => self.length(*len, &elements),
            [.., last] => Some(*last).filter(|last| is_odd_one(*last)),
            [] => None,
        };
        let Some(length) = length else {
            return Ok(None);
        };
        let stays = |why: String, at: Option<ExprId>| {
            let variable = &self.function.vars[candidate.array];
            let text = format!("'{}' keeps rows of {length} elements: {why}", variable.name);
            let span = at.and_then(|id| self.function.exprs.span(id));
            Note::new(text, span.or(variable.span))
        };
        if self.uses.get(&candidate.array) != Some(&elements.len()) {
            let why = "it is more than indexed, so that a pointer may go through its rows";
            return Err(stays(why.to_string(), None));
        }
        let bytes = len / length * length.next_power_of_two() * candidate.bytes;
        if bytes > MOST {
            let why = format!("with longer ones it takes more than {} KiB", MOST >> 10);
            return Err(stays(why, None));
        }
        let leaves = |at: &&At| !self.stays_in_rows(candidate, **at, length);
        if let Some(&at) = elements.iter().find(leaves) {
            let index = self.element(at).indices.last().copied();
            let why = "an index may leave the row that it is in".to_string();
            return Err(stays(why, index));
        }
        Ok(Some(self.plan(candidate, length, &elements)))
    }

    fn stays_in_rows(&self, candidate: &Candidate, at: At, length: u64) -> bool {
        let element = self.element(at);
        match candidate.dims.len() {
            1 => element.in_rows(length).is_some(),
            // The language says that it does not, unless it is seen to.
            _ => match element.reach_of_last() {
                Reach::Within(low, high) => low >= 0 && high < i128::from(length),
                Reach::Never | Reach::Unknown => true,
            },
        }
    }

    /// The length of the rows of an array of one dimension, if its indices have such: the shortest one that all indices
    /// stay in rows of, else one that they go on by.
    fn length(&self, len: u64, elements: &[At]) -> Option<u64> {
        let mut steps = BTreeSet::new();
        for at in elements {
            let last = self.element(*at).last.iter();
            let terms = last.flat_map(|last| last.terms());
            let moving = terms.filter(|(symbols, _)| !symbols.is_empty());
            steps.extend(moving.map(|(_, by)| by.unsigned_abs() as u64));
        }
        let fits =
            |length: &u64| is_odd_one(*length) && len.is_multiple_of(*length) && len / length > 1;
        // Along a diagonal a step is one row and one element back.
        let near = steps
            .iter()
            .flat_map(|by| [by.saturating_sub(1), *by, by + 1]);
        let near: BTreeSet<u64> = near.filter(fits).collect();
        let all_stay = |length: &u64| {
            let mut elements = elements.iter();
            elements.all(|at| self.element(*at).in_rows(*length).is_some())
        };
        let sure = near.into_iter().find(all_stay);
        sure.or_else(|| steps.into_iter().find(fits))
    }

    fn plan(&mut self, candidate: &Candidate, length: u64, elements: &[At]) -> Padded {
        let padded = length.next_power_of_two();
        let mut changes = Vec::new();
        let is_flat = candidate.dims.len() == 1;
        for &(part, at) in elements.iter().filter(|_| is_flat) {
            let element = self.parts[part].found[at].clone();
            let index = element.indices[0];
            if let Some(rows) = element.in_rows(length) {
                let mut rewriter = Rewriter {
                    function: self.function,
                    indices: &mut self.parts[part].indices,
                    lengths: (i128::from(length), i128::from(padded)),
                };
                changes.extend(rewriter.changes(index, &rows));
            }
        }
        let chains = elements.iter().map(|at| self.element(*at).chain.clone());
        let variable = &self.function.vars[candidate.array];
        let text = format!(
            "rows of '{}' have {padded} elements in place of {length}: its columns are in banks of their own",
            variable.name
        );
        let len = match candidate.dims.as_slice() {
            [len] => len / length * padded,
            _ => padded,
        };
        Padded {
            array: candidate.array,
            len,
            changes,
            chains: chains.collect(),
            done: Note::new(text, variable.span).names_form("padded rows"),
        }
    }
}

/// Whether a length is no power of two.
fn is_odd_one(length: u64) -> bool {
    length > 2 && !length.is_power_of_two()
}

/// Writes indices for longer rows.
struct Rewriter<'r, 'a> {
    function: &'r Function,
    indices: &'r mut Indices<'a>,
    /// Of rows, before and after.
    lengths: (i128, i128),
}

impl Rewriter<'_, '_> {
    /// Other constants in an index, where that is all; else it is written anew.
    fn changes(&mut self, index: ExprId, rows: &InRows) -> Vec<Change> {
        let mut constants = Vec::new();
        let inner = self.indices.widened(index);
        let wanted = rows.column.plus(&rows.row, self.lengths.1);
        if self.scaled(inner, &mut constants).as_ref() == Some(&wanted) {
            let constants = constants.into_iter();
            return constants
                .map(|(at, value)| Change::Constant(at, value))
                .collect();
        }
        vec![Change::Sum(index, self.sum(&wanted))]
    }

    /// What an index is where multiples of the length become multiples of the other one.
    fn scaled(&mut self, id: ExprId, constants: &mut Vec<(ExprId, i128)>) -> Option<Poly> {
        match *self.function.exprs.get(id) {
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub),
                lhs,
                rhs,
            } => {
                let (x, y) = (self.scaled(lhs, constants)?, self.scaled(rhs, constants)?);
                Some(x.plus(&y, if op == BinaryOp::Add { 1 } else { -1 }))
            }
            Expr::Unary {
                op: UnaryOp::Minus,
                operand,
            } => Some(Poly::default().plus(&self.scaled(operand, constants)?, -1)),
            Expr::Binary {
                op: BinaryOp::Mul,
                lhs,
                rhs,
            } => {
                let (length, padded) = self.lengths;
                for (constant, other) in [(rhs, lhs), (lhs, rhs)] {
                    let by = self.indices.poly(constant)?.as_constant();
                    if let Some(by) = by.filter(|by| *by != 0 && by % length == 0) {
                        constants.push((constant, by / length * padded));
                        let scale = Poly::constant(by / length * padded);
                        return self.indices.poly(other)?.times(&scale);
                    }
                }
                self.indices.poly(id)
            }
            _ => self.indices.poly(id),
        }
    }

    /// A polynomial in words of the source.
    fn sum(&self, poly: &Poly) -> Sum {
        let (moves, constant) = poly.split_constant();
        let factor = |sym: &Sym| match *sym {
            Sym::Iter(at) => Some(Factor::Counter(self.indices.counting[at].header.counter)),
            Sym::Opaque(number) => self
                .indices
                .meanings()
                .get(number)
                .map(|id| Factor::Value(*id)),
            _ => None,
        };
        let terms = moves.terms().map(|(symbols, by)| {
            let factors = symbols.iter().filter_map(factor);
            (factors.collect(), by)
        });
        Sum {
            terms: terms.collect(),
            constant,
        }
    }
}
