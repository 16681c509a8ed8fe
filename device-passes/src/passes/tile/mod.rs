//! `tile`: elements of `__global` memory that several work-items of a group read are loaded once, by the group
//! together, into `__local` memory.
//!
//! After the promotion to shared memory of S. Verdoolaege et al., "Polyhedral parallel code generation for
//! CUDA" (ACM TACO 9(4), 2013). An address is a polynomial of local ids, of counters of loops that count from
//! a constant to a constant, and of numbers that a group shares. What several of these reach is a box, which
//! the work-items fill before the kernel does anything else; a loop whose trip count is no constant, or too
//! large, is cut into strips, with a box for each.
//!
//! Why it is right: nothing in the kernel writes the memory. The box has exactly the elements that some
//! work-item of the group reads: the conditions under which the original reads are those under which an
//! element is loaded. All work-items fill and meet at barriers, those too that do nothing in the original.
//! Functions that get pointers become part of the kernel first, if that makes tiles.
//!
//! - `terms`: integers as polynomials; `reads`: which elements are read, and when.
//! - `shape`: boxes; `codegen`: arrays and what fills them; `strips`: loops that are cut.

mod codegen;
mod reads;
mod shape;
mod strips;
mod terms;

use std::collections::BTreeMap;

use fpgacc_frontend::ir::{
    AddressSpace, ExprId, Function, FunctionId, Module, Scalar, Stmt, VarId,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::calls::{self, calls_builtin};
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::location::{Refusal, refuse};
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::poly::Sym;
use fpgacc_runtime::guard::Guard;

use self::codegen::Codegen;
use self::reads::{Read, Strip, Walk};
use self::shape::Tile;
use self::strips::Cut;
use self::terms::{Terms, Uniform};
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass, Requirement};
use crate::passes::ndrange_to_loop::group_calls::inline;

/// The name of the pass that loads what work-items of a group share.
pub const TILE: &str = "tile";

/// The pass.
pub struct Tiles;

/// The most bytes of `__local` memory of a kernel, its own counted.
const MOST_BYTES: u64 = 32 << 10;
/// Elements that are worth being kept are read by so many work-items.
const LEAST_REUSE: u64 = 2;
/// Strips are at least, and at most, so long.
const STRIPS: (u64, u64) = (8, 64);

impl Pass for Tiles {
    fn about(&self) -> About {
        About {
            name: TILE,
            description: "load what work-items of a work-group share once, into __local memory, where that pays",
            level: 3,
            requires: &[Requirement::ManyWorkItems, Requirement::EntryPoint],
            after: &["coarsen", "restrict", "constant-memory", "work-group-size"],
        }
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, _context: &Context<'_>) -> bool {
        loops::structured_body(&module.functions[kernel]).is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        contract: &mut LaunchContract,
    ) -> Outcome {
        let size = module.functions[kernel].reqd_work_group_size();
        let Some(local) = size else {
            let text = "nothing is tiled: the work-group size is not stated";
            return Outcome::Missed(vec![Note::new(text, None)]);
        };
        if local == [1; 3] {
            return Outcome::Nothing;
        }
        if calls_builtin(&module.functions[kernel], calls::talks) {
            return Outcome::Nothing;
        }
        for scalar in [Scalar::Int, Scalar::Long, Scalar::UInt, Scalar::ULong] {
            module.types.scalar(scalar);
        }
        let original = module.functions[kernel].clone();
        let with_calls = reads_in_functions(module, kernel).then(|| module.clone());
        if with_calls.is_some() {
            inline::inline_all(module, kernel, context.names);
        }
        module.functions[kernel].make_names_unique(context.names);
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        for length in [None, Some(strip_length(local))] {
            let plan = plan(module, kernel, context, local, length);
            let mut function = module.functions[kernel].clone();
            apply(module, &mut function, context, local, &plan);
            module.functions[kernel] = function;
            done.extend(plan.done);
            missed.retain(|note: &Note| !done.iter().any(|one: &Note| one.span == note.span));
            let known: Vec<_> = missed.iter().map(|note| note.span).collect();
            let new = plan.missed.into_iter();
            missed.extend(new.filter(|note| !known.contains(&note.span)));
        }
        if !done.is_empty() {
            // Ids are followed through `int`.
            contract.guard(Guard::IntLoops);
            self.comment(&mut module.functions[kernel], &done);
        } else if let Some(with_calls) = with_calls {
            *module = with_calls;
        } else {
            module.functions[kernel] = original;
        }
        missed.sort_by_key(|note| note.span);
        missed.dedup();
        Outcome::of(done, missed)
    }
}

/// Whether functions that a kernel calls get pointers: they may read what work-items share.
fn reads_in_functions(module: &Module, kernel: FunctionId) -> bool {
    let called = calls::reachable(module, kernel);
    called.into_iter().any(|id| {
        let function = &module.functions[id];
        let mut params = function.params.iter();
        params.any(|param| {
            let ty = function.vars[*param].ty.ty;
            module.types.as_pointer(ty).is_some()
        })
    })
}

fn strip_length(local: [u64; 3]) -> u64 {
    let longest = local.into_iter().max().unwrap_or(1);
    longest.next_power_of_two().clamp(STRIPS.0, STRIPS.1)
}

/// What becomes of a kernel.
struct Plan {
    tiles: Vec<Tile>,
    uniform: Vec<Uniform>,
    /// What variables are declared to be.
    declared: BTreeMap<VarId, ExprId>,
    /// The counters of loops, by their numbers.
    counters: BTreeMap<usize, VarId>,
    strips: Vec<Strip>,
    length: u64,
    done: Vec<Note>,
    missed: Vec<Note>,
}

fn plan(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    local: [u64; 3],
    length: Option<u64>,
) -> Plan {
    let function = &module.functions[kernel];
    let mut terms = Terms::new(module, function, local);
    let body = function.body.as_ref();
    let stmts = body.map_or(&[][..], |body| &body.stmts);
    let (reads, mut strips) = match body {
        Some(body) => {
            let walk = Walk::through(&mut terms, body, length);
            (walk.reads, walk.strips)
        }
        None => (Vec::new(), Vec::new()),
    };
    strips.retain(|strip| strips::can_open(stmts, strip.number));
    let aliases = Aliases::new(module, kernel, context.called);
    let accesses = Accesses::of_stmts(&aliases, context.summaries(module, kernel), stmts);
    let judge = Judge {
        terms: &terms,
        aliases: &aliases,
        accesses: &accesses,
    };
    let is_wanted = |read: &&Read| match length {
        Some(_) => {
            let strip = strips.iter().find(|strip| Some(strip.number) == read.strip);
            strip.is_some_and(|strip| read.index.symbols().contains(&Sym::Iter(strip.number)))
        }
        None => true,
    };
    let (tiles, unsure) = shape::tiles(&terms, reads.iter().filter(is_wanted));
    let (taken, done, mut missed) = judge.choose(tiles);
    for (at, param) in unsure {
        let name = &function.vars[param].name;
        let text = format!(
            "'{name}' is not tiled: it cannot be said which elements a work-group reads here"
        );
        missed.push(Note::new(text, function.exprs.span(at)));
    }
    let scopes = reads.iter().flat_map(|read| &read.scope);
    let vars = function.vars.ids();
    Plan {
        counters: scopes
            .map(|counter| (counter.number, counter.var))
            .collect(),
        declared: vars
            .filter_map(|var| Some((var, terms.constants.initialiser(var)?)))
            .collect(),
        uniform: terms.uniform,
        tiles: taken,
        strips,
        length: length.unwrap_or(0),
        done,
        missed,
    }
}

/// What was done, briefly.
fn describe(name: &str, tile: &Tile, local: [u64; 3], reuse: u64) -> String {
    let extents = tile.dims.iter().map(|dim| dim.extent(local).to_string());
    let extents: Vec<String> = extents.collect();
    let often = match tile.strip {
        Some(_) => ", strip by strip",
        None => "",
    };
    format!(
        "'{name}' is loaded by each work-group once, into a tile of {} elements{often}; \
         each was loaded up to {reuse} times",
        extents.join(" x ")
    )
}

struct Judge<'a> {
    terms: &'a Terms<'a>,
    aliases: &'a Aliases<'a>,
    accesses: &'a Accesses,
}

impl Judge<'_> {
    /// Bytes of the kernel's own `__local` memory.
    fn own_bytes(&self) -> u64 {
        let vars = self.terms.function.vars.iter();
        let own = vars.filter(|(_, variable)| variable.space == AddressSpace::Local);
        own.map(|(_, variable)| self.bytes(variable.ty.ty)).sum()
    }

    fn bytes(&self, ty: fpgacc_frontend::ir::TypeId) -> u64 {
        self.terms.module.layout(ty).map_or(0, |layout| layout.size)
    }

    /// The tiles that pay and are legal, what they do, and why others are not.
    fn choose(&self, tiles: Vec<Tile>) -> (Vec<Tile>, Vec<Note>, Vec<Note>) {
        let (function, local) = (self.terms.function, self.terms.local);
        let (mut taken, mut done, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        let mut bytes = self.own_bytes();
        for tile in tiles {
            let reuse = tile.reuse(local);
            if reuse < LEAST_REUSE {
                continue;
            }
            let name = &function.vars[tile.param].name;
            let span = function.exprs.span(tile.reads[0].0);
            match self.check(&tile, &mut bytes) {
                Ok(()) => {
                    let note = Note::new(describe(name, &tile, local, reuse), span);
                    done.push(note.names_form("tiles in __local memory"));
                    taken.push(tile);
                }
                Err(refusal) => {
                    let text = format!("'{name}' is not tiled: {}", refusal.reason);
                    missed.push(refusal.note(&function.exprs, text, span));
                }
            }
        }
        (taken, done, missed)
    }

    fn check(&self, tile: &Tile, bytes: &mut u64) -> Result<(), Refusal> {
        let at = tile.reads[0].0;
        let location = Access {
            at,
            write: false,
            roots: self.aliases.lvalue_roots(at),
            space: Some(AddressSpace::Global),
            exact: false,
        };
        let mut writes = self.accesses.writes();
        if let Some(write) = writes.find(|write| self.aliases.may_overlap(write, &location)) {
            return Err(Refusal {
                reason: "the kernel may write the same memory".to_string(),
                also: Some((write.at, "this may be the same memory")),
            });
        }
        let elements = tile.elements(self.terms.local);
        let own = elements.saturating_mul(self.bytes(tile.element));
        let all = bytes.saturating_add(own);
        if all > MOST_BYTES {
            return Err(refuse(format!(
                "with a tile of {elements} elements the kernel would have {all} bytes of __local \
                 memory, and {MOST_BYTES} are the most"
            )));
        }
        *bytes = all;
        Ok(())
    }
}

fn apply(
    module: &mut Module,
    function: &mut Function,
    context: &Context<'_>,
    local: [u64; 3],
    plan: &Plan,
) {
    if plan.tiles.is_empty() {
        return;
    }
    let Some(mut body) = function.body.take() else {
        return;
    };
    let mut code = Codegen {
        function,
        types: &mut module.types,
        names: context.names,
        uniform: &plan.uniform,
        declared: &plan.declared,
        local,
        items: [None; 3],
        firsts: [None; 3],
        first: None,
        counters: plan.counters.clone(),
    };
    let mut arrays = Vec::new();
    let mut fills = fill_whole(&mut code, plan, &mut arrays);
    // The last first: loops before one that is cut keep their numbers.
    for strip in plan.strips.iter().rev() {
        body.stmts = open_strip(&mut code, plan, strip, body.stmts, &mut arrays);
    }
    let mut stmts: Vec<Stmt> = arrays;
    stmts.append(&mut code.declared_items());
    stmts.append(&mut fills);
    stmts.append(&mut body.stmts);
    body.stmts = stmts;
    function.body = Some(body);
}

/// Makes the tiles that are filled once, before all else; gives what fills them, up to the barrier.
fn fill_whole(code: &mut Codegen<'_>, plan: &Plan, arrays: &mut Vec<Stmt>) -> Vec<Stmt> {
    let mut fills = Vec::new();
    for tile in plan.tiles.iter().filter(|tile| tile.strip.is_none()) {
        let (array, declaration) = code.array(tile);
        arrays.push(declaration);
        fills.append(&mut code.fill(tile, array));
        code.redirect(tile, array);
    }
    if !arrays.is_empty() && !faults::is_on("tile-barrier-lost") {
        fills.push(code.barrier());
    }
    fills
}

/// Cuts a loop into strips for each of which its tiles are filled; gives the body with it.
fn open_strip(
    code: &mut Codegen<'_>,
    plan: &Plan,
    strip: &Strip,
    stmts: Vec<Stmt>,
    arrays: &mut Vec<Stmt>,
) -> Vec<Stmt> {
    let own = plan.tiles.iter();
    let own: Vec<&Tile> = own.filter(|t| t.strip == Some(strip.number)).collect();
    if own.is_empty() {
        return stmts;
    }
    let iteration = code.variable("iteration", Scalar::Int);
    code.counters.insert(strip.number, iteration);
    code.first = Some(code.variable("first", Scalar::Long));
    let mut cut = Cut {
        strip: *strip,
        length: plan.length,
        iteration,
        fill: Vec::new(),
    };
    for tile in own {
        let (array, declaration) = code.array(tile);
        arrays.push(declaration);
        cut.fill.append(&mut code.fill(tile, array));
        code.redirect(tile, array);
    }
    strips::open(code, stmts, strip.number, &mut cut, None)
}
