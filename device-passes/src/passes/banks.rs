//! `banks`: says how many banks an array on the chip has, where copies of a loop's body access it side by side.
//!
//! A memory on the chip serves a few accesses a cycle. If the loop around them is unrolled, its copies either have a bank
//! each or take turns, and reads that take turns are given copies of all of the memory instead. aoc makes banks by the
//! lowest bits of the index where it sees that these are constants in each copy; `numbanks` and `bankwidth` say so
//! ("Memory Attributes for Configuring Kernel Memory Systems", Intel's programming guide). That is so where all that moves
//! the index but the copy's number moves it by whole rows of banks.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::ir::{
    AddressSpace, Attr, ExprId, Function, FunctionId, Module, Qualifiers, StmtKind, TypeId, VarId,
};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::fourier_motzkin::greatest;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::{Header, Nests};
use fpgacc_kernel_analysis::poly::Sym;
use fpgacc_kernel_analysis::rows::{Element, Elements};
use fpgacc_kernel_analysis::trip_count::{Constants, trip_count};

use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};

/// The name of the pass.
pub const BANKS: &str = "banks";

/// The most banks: each takes a memory block of its own at least.
const MOST: u64 = 512;

/// The pass.
pub struct Banks;

impl Pass for Banks {
    fn about(&self) -> About {
        About {
            name: BANKS,
            description: "state the banks of on-chip arrays that unrolled loops access, in single work-items",
            level: 3,
            requires: &[Requirement::SingleWorkItem],
            after: &["pad", "unroll"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        let function = &module.functions[kernel];
        !arrays(module, function).is_empty() && !copies(module, function).is_empty()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let mut done = Vec::new();
        for (array, banks) in plan(module, kernel, context) {
            let function = &mut module.functions[kernel];
            let variable = &mut function.vars[array.var];
            let said = [("numbanks", banks), ("bankwidth", array.bytes)];
            variable.attrs.extend(said.map(|(name, number)| Attr {
                name: name.to_string(),
                args: Some(number.to_string()),
            }));
            let text = format!("'{}' has {banks} banks", variable.name);
            done.push(Note::new(text, variable.span).names_form("banks"));
        }
        self.outcome(&mut module.functions[kernel], done, Vec::new())
    }
}

/// An array on the chip.
#[derive(Clone, Copy)]
struct Array {
    var: VarId,
    /// Elements of its last dimension, where it has several.
    row: Option<u64>,
    /// Bytes of an element.
    bytes: u64,
}

/// Arrays of a function of whose banks nothing is said yet.
fn arrays(module: &Module, function: &Function) -> Vec<Array> {
    let mut found = Vec::new();
    for stmt in function.body.iter().flat_map(|body| &body.stmts) {
        stmt.for_each(&mut |stmt| {
            let StmtKind::Decl { var, init: None } = stmt.kind else {
                return;
            };
            let variable = &function.vars[var];
            // Intel's emulator (2023) ends with a segmentation fault where a `__local` array has banks.
            let is_plain = variable.space == AddressSpace::Private
                && variable.attrs.is_empty()
                && !variable.ty.quals.contains(Qualifiers::VOLATILE);
            let shape = shape(module, variable.ty.ty).filter(|_| is_plain);
            found.extend(shape.map(|(row, bytes)| Array { var, row, bytes }));
        });
    }
    found
}

/// The length of an array's last dimension, if it has several, and the bytes of an element: a power of two.
fn shape(module: &Module, ty: TypeId) -> Option<(Option<u64>, u64)> {
    let (mut element, _) = module.types.as_array(ty)?;
    let mut row = None;
    while let Some((inner, len)) = module.types.as_array(element.ty) {
        (element, row) = (inner, Some(len?));
    }
    let bytes = module.layout(element.ty)?.size;
    bytes.is_power_of_two().then_some((row, bytes))
}

/// Copies of the body of a loop that a pragma unrolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Copies {
    number: u64,
    /// They are all iterations.
    is_whole: bool,
}

/// The copies of loops' bodies, by what the loops count with.
fn copies(module: &Module, function: &Function) -> BTreeMap<VarId, Copies> {
    let constants = Constants::new(module, function);
    let mut found: BTreeMap<VarId, BTreeSet<Copies>> = BTreeMap::new();
    for stmt in function.body.iter().flat_map(|body| &body.stmts) {
        stmt.for_each(&mut |stmt| {
            let (Some(hints), Some(header)) = (loops::hints(stmt), Header::of(function, stmt))
            else {
                return;
            };
            let (factor, is_whole) = loops::unroll_factor(hints);
            let trips = trip_count(&constants, stmt);
            let number = match is_whole {
                true => trips,
                false => factor.map(|factor| trips.map_or(factor, |trips| factor.min(trips))),
            };
            found.entry(header.counter).or_default().insert(Copies {
                number: number.unwrap_or(1),
                is_whole: number.is_some() && number == trips,
            });
        });
    }
    // A counter of several loops says nothing.
    let one = |(counter, copies): (VarId, BTreeSet<Copies>)| {
        let only = copies.first().copied().filter(|_| copies.len() == 1);
        Some((counter, only.filter(|copies| copies.number > 1)?))
    };
    found.into_iter().filter_map(one).collect()
}

/// The arrays that get banks, and how many.
fn plan(module: &Module, kernel: FunctionId, context: &Context<'_>) -> Vec<(Array, u64)> {
    let function = &module.functions[kernel];
    let Some(body) = loops::structured_body(function) else {
        return Vec::new();
    };
    let copies = copies(module, function);
    let aliases = Aliases::new(module, kernel, context.called);
    let nests = Nests::of(module, function);
    let stmts = body.stmts.iter();
    let mut parts: Vec<Elements<'_>> = stmts
        .map(|stmt| Elements::of(&aliases, &nests, stmt))
        .collect();
    let mut named: BTreeMap<VarId, usize> = BTreeMap::new();
    body.for_each_expr(&function.exprs, &mut |id| {
        if let Some(var) = function.exprs.local_var(id) {
            *named.entry(var).or_default() += 1;
        }
    });
    let mut planned = Vec::new();
    for array in arrays(module, function) {
        let mut accesses = Vec::new();
        for part in &mut parts {
            let found = part.found.iter();
            let own: Vec<Element> = found
                .filter(|found| found.array == array.var)
                .cloned()
                .collect();
            accesses.extend(
                own.iter()
                    .map(|element| Copied::of(part, &copies, element, array.row)),
            );
        }
        // A use that is no access of an element may lead anywhere.
        let is_known = named.get(&array.var) == Some(&accesses.len());
        let banks = banks(&array, &accesses).filter(|_| is_known);
        planned.extend(banks.map(|banks| (array, banks)));
    }
    planned
}

/// An access, and what becomes of its index in copies of loops.
enum Copied {
    /// No copies that access different elements.
    Alone,
    /// So many, whose elements are `apart` from each other; all else moves the index by multiples of `moves`, 0: nothing
    /// does.
    Times {
        copies: u64,
        apart: i128,
        moves: i128,
    },
    /// It is not known where.
    Unknown,
}

impl Copied {
    /// Nothing moves its index.
    const FIXED: Self = Copied::Times {
        copies: 1,
        apart: 1,
        moves: 0,
    };

    fn of(
        part: &mut Elements<'_>,
        copies: &BTreeMap<VarId, Copies>,
        element: &Element,
        row: Option<u64>,
    ) -> Self {
        let Some((last, outer)) = element.indices.split_last() else {
            return Copied::Unknown;
        };
        let around = part.indices.around(*last).unwrap_or_default();
        let counter = |at: &usize| part.indices.counting[*at].header.counter;
        let is_copied = around.iter().any(|at| copies.contains_key(&counter(at)));
        let parts = match Parts::of(part, copies, *last) {
            Some(parts) => parts,
            None if is_copied => return Copied::Unknown,
            None => return Copied::Alone,
        };
        let mut moves = parts.moves;
        for index in outer {
            // Copies in rows of their own are all in one bank, unless their columns are their own, too.
            let is_apart = parts.copied.is_some();
            match Parts::of(part, copies, *index) {
                Some(Parts {
                    copied: Some(_), ..
                }) if !is_apart => return Copied::Unknown,
                Some(Parts {
                    copied: None,
                    moves: 0,
                }) => {}
                None if is_copied && !is_apart => return Copied::Unknown,
                _ => moves = greatest(moves, row.unwrap_or(1).into()),
            }
        }
        match parts.copied {
            Some((copies, apart)) => Copied::Times {
                copies,
                apart,
                moves,
            },
            None if moves == 0 => Copied::FIXED,
            None => Copied::Alone,
        }
    }
}

/// What an index is made of.
struct Parts {
    /// The loop whose copies it differs in, if there is one: how many, and how far apart.
    copied: Option<(u64, i128)>,
    /// What all else moves it by is a multiple of this; 0: nothing does.
    moves: i128,
}

impl Parts {
    /// `None`: not all of it is known, or several loops' copies differ. Banks are powers of two, so that rests do.
    fn of(
        part: &mut Elements<'_>,
        copies: &BTreeMap<VarId, Copies>,
        index: ExprId,
    ) -> Option<Self> {
        let index = part.indices.rest(index)?;
        let mut parts = Parts {
            copied: None,
            moves: 0,
        };
        for (symbols, by) in index.split_constant().0.terms() {
            let [Sym::Iter(at)] = symbols else {
                return None;
            };
            let counting = part.indices.counting.get(*at)?;
            let apart = by * counting.step?;
            let Some(own) = copies.get(&counting.header.counter) else {
                parts.moves = greatest(parts.moves, apart.abs());
                continue;
            };
            if parts.copied.replace((own.number, apart)).is_some() {
                return None;
            }
            if !own.is_whole {
                // What is left of the loop moves on by as many as there are copies.
                parts.moves = greatest(parts.moves, apart.abs() * i128::from(own.number));
            }
        }
        Some(parts)
    }
}

/// The banks in which copies do not meet; `None`: there are no such, or nothing moves, so that registers do.
fn banks(array: &Array, accesses: &[Copied]) -> Option<u64> {
    let most = accesses.iter().map(|access| match access {
        Copied::Times { copies, .. } => copies.next_power_of_two(),
        _ => 1,
    });
    let banks = most.max().filter(|banks| (2..=MOST).contains(banks))?;
    let whole = i128::from(banks);
    let fits = |access: &Copied| match access {
        Copied::Alone => true,
        Copied::Unknown => false,
        Copied::Times { apart, moves, .. } => apart % 2 != 0 && moves % whole == 0,
    };
    let stays = |access: &Copied| matches!(access, Copied::Times { moves: 0, .. });
    let is_row = array.row.is_none_or(|row| row % banks == 0);
    (is_row && accesses.iter().all(fits) && !accesses.iter().all(stays)).then_some(banks)
}
