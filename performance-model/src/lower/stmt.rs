//! Statements.

use fpgacc_frontend::ir::{
    AddressSpace, Block, ExprId, Init, Module, Stmt, StmtKind, VarId, VarRef, Variable,
};
use fpgacc_frontend::source::Span;
use fpgacc_kernel_analysis::alias::Root;
use fpgacc_kernel_analysis::poly::{Poly, Sym};

use super::env::{Changes, Mark};
use super::trips::RECORDED;
use super::value::{Slot, Value};
use super::{Lowering, REGISTER_BYTES, memory_kind};
use crate::branches::Arm;
use crate::depends::Depends;
use crate::graph::{Access, Array, Banks, Made, NodeId, Op};
use crate::prediction::{Assumed, Form};

impl<'a> Lowering<'a> {
    pub(super) fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    pub(super) fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Decl { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Expr(expr) => {
                self.value(*expr);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.branch(stmt.span, *cond, then, otherwise.as_ref()),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                self.loop_stmt(stmt);
            }
            StmtKind::Switch { value, arms } => {
                let value = self.value(*value);
                let mut merged = Changes::new();
                let (share, around) = (self.at.share, self.at.branch);
                // Each as likely as the others: a guess.
                self.at.share = share / arms.len().max(1) as f64;
                let branch = self.new_branch();
                for arm in arms {
                    self.enter_arm(branch, around);
                    let mark = self.env.mark();
                    arm.body.iter().for_each(|stmt| self.stmt(stmt));
                    self.merge(&value, merged, &mark);
                    merged = self.env.undo(mark);
                }
                self.env.apply(merged);
                (self.at.share, self.at.branch) = (share, around);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.value(*value);
                self.at.returned.push(value);
            }
            StmtKind::Continue => self.at.continued = true,
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Pragma(_)
            | StmtKind::Comment(_) => {}
        }
    }

    fn declare(&mut self, var: VarId, init: Option<&'a Init>) {
        let variable = &self.at.function.vars[var];
        let slot = self.slot(VarRef::Local(var));
        let is_array = self.module.types.as_array(variable.ty.ty).is_some();
        let is_shared = variable.space == AddressSpace::Local && self.is_ndrange();
        // A single work-item keeps local variables that are no arrays in registers, like its own (aoc 16.0
        // gives a sum in one the interval of its addition).
        if is_array || is_shared {
            self.declare_array(var);
        }
        self.env.remove_parts(&slot);
        match init {
            Some(Init::Expr(expr)) => {
                let value = self.value(*expr);
                if self.memory_of(&slot).is_none() {
                    self.set(&slot, value, variable.ty.ty);
                }
            }
            Some(init @ Init::List(_)) => {
                let mut exprs = Vec::new();
                init.exprs(&mut exprs);
                let values: Vec<Value> = exprs.into_iter().map(|expr| self.value(expr)).collect();
                if self.memory_of(&slot).is_none() {
                    for (index, value) in values.into_iter().enumerate() {
                        self.env.insert(slot.part(index as u32), value);
                    }
                    self.env.insert(slot, Value::default());
                }
            }
            None => {
                self.env.insert(slot, Value::default());
            }
        }
    }

    /// Decides where an array lies.
    fn declare_array(&mut self, var: VarId) {
        let variable = &self.at.function.vars[var];
        let bytes = self.module.layout(variable.ty.ty).map(|layout| layout.size);
        let key = (self.function_id(), VarRef::Local(var));
        let private = variable.space == fpgacc_frontend::ir::AddressSpace::Private;
        let forced = variable.attrs.iter().any(|attr| attr.name == "memory");
        let registers = variable.attrs.iter().any(|attr| attr.name == "register");
        let constant_indices = self
            .indexed
            .as_ref()
            .is_some_and(|indexed| !indexed.contains(&key));
        let small = bytes.is_some_and(|bytes| bytes <= REGISTER_BYTES);
        if private && !forced && !registers && !small {
            self.at.private_arrays.insert(key);
        }
        if private && !forced && (registers || small || constant_indices) {
            self.at.arrays.remove(&(self.frame(), VarRef::Local(var)));
            return;
        }
        // A copy that unrolling makes of a __local array is the same array.
        if !private
            && self
                .at
                .arrays
                .contains_key(&(self.frame(), VarRef::Local(var)))
        {
            return;
        }
        let id = self.add_array(Array {
            name: variable.name.clone(),
            root: Root::Object(VarRef::Local(var)),
            memory: memory_kind(variable.space),
            element: None,
            bytes,
            is_restrict: false,
            written: false,
            volatile: false,
            copies: private_copies(variable).map(|copies| (self.at.region, copies)),
            home: private.then_some(self.at.region),
            scope: self.at.region,
            banks: banks(self.module, variable),
            by_item: private && self.is_ndrange(),
        });
        self.at
            .arrays
            .insert((self.frame(), VarRef::Local(var)), id);
        self.at.array_keys.insert(id, key);
    }

    /// The array in memory that a variable is.
    pub(super) fn memory_of(&self, slot: &Slot) -> Option<usize> {
        self.at.arrays.get(&(slot.frame, slot.var)).copied()
    }

    fn branch(
        &mut self,
        span: Option<Span>,
        cond: ExprId,
        then: &'a Block,
        otherwise: Option<&'a Block>,
    ) {
        let recorded = span.and_then(|span| self.input.launch.branches.get(&span));
        let (taken, left) = match recorded {
            Some(taken) => (*taken, 1.0 - *taken),
            None => (self.part_taken(cond), self.part_left(cond)),
        };
        if recorded.is_none() && self.is_guessed(cond) {
            self.assume(Assumed {
                span,
                what: "a branch on data is taken half the time".to_string(),
                remedy: RECORDED,
            });
        }
        let value = self.value(cond);
        if let Some(constant) = value.constant() {
            let chosen = if constant != 0 { Some(then) } else { otherwise };
            if let Some(block) = chosen {
                self.block(block);
            }
            return;
        }
        let (share, picked, around) = (self.at.share, self.at.picked, self.at.branch);
        self.at.share = share * taken;
        self.at.picked |= self.picks(cond);
        let branch = self.new_branch();
        self.enter_arm(branch, around);
        let start = (
            self.graph.nodes.len(),
            self.graph.accesses.len(),
            self.at.step,
        );
        let mark = self.env.mark();
        self.block(then);
        self.at.step = start.2;
        let after_then = self.env.undo(mark);
        let mark = self.env.mark();
        self.at.share = share * left;
        self.enter_arm(branch, around);
        if let Some(block) = otherwise {
            self.block(block);
        }
        (self.at.share, self.at.picked, self.at.branch) = (share, picked, around);
        self.keep_branch(start);
        self.merge(&value, after_then, &mark);
        self.env.keep(mark);
    }

    pub(super) fn new_branch(&mut self) -> usize {
        self.known.branches += 1;
        self.known.branches
    }

    /// Enters an arm of a branch, which the share at hand of iterations takes, from the arm around it.
    pub(super) fn enter_arm(&mut self, branch: usize, around: usize) {
        self.at.branch = self.known.arms.len();
        self.known.arms.push(Arm {
            around,
            branch,
            share: self.at.share,
        });
    }

    /// In an NDRange, aoc keeps a branch that writes memory: what is in it, with numbers of nodes and accesses from
    /// these on, comes a step later, and what follows, after all of it. In loops of single work-items branches become
    /// choices.
    fn keep_branch(&mut self, (nodes, accesses, step): (usize, usize, usize)) {
        let writes = |access: &Access| access.is_store || access.is_atomic;
        self.at.step = step;
        if !self.is_ndrange() || !self.graph.accesses[accesses..].iter().any(writes) {
            return;
        }
        let region = self.at.region;
        for id in nodes..self.graph.nodes.len() {
            if self.graph.nodes[id].region == region {
                let node = self.graph.node_mut(id);
                node.step += 1;
                self.at.step = self.at.step.max(node.step);
            }
        }
        self.at.step += 1;
    }

    /// Joins what two branches made of each variable: this one since a mark, the other one from the same
    /// state on.
    fn merge(&mut self, cond: &Value, other: Changes, mark: &Mark) {
        let (decided, usual) = (self.decided(cond), self.usually(cond));
        let mut there = self.env.before(mark);
        there.extend(other);
        for (key, there) in there {
            let Some(there) = there else { continue };
            let Some(here) = self.env.get(&key).cloned() else {
                self.env.insert(key, there);
                continue;
            };
            if here == there {
                continue;
            }
            self.goes_to_both(here.pointer.as_ref(), there.pointer.as_ref());
            let inputs: Vec<NodeId> = [cond.node, here.node, there.node]
                .into_iter()
                .flatten()
                .collect();
            let select = match self.type_of(&key) {
                Some(ty) => self.widened(self.table.select, ty),
                None => self.table.select,
            };
            let node = self.node(Op::Select, select, "choice", inputs, None);
            let mut joined = Value {
                node: Some(node),
                pointer: here.pointer.clone().or(there.pointer.clone()),
                ..Value::default()
            };
            if let (Some(a), Some(b)) = (&here.poly, &there.poly) {
                let there_poly = b;
                joined.poly = match a == b {
                    true => Some(a.clone()),
                    false => {
                        let mut depends = self.varies(a);
                        depends.extend(&self.varies(b));
                        let loaded = self.is_loaded(a) || self.is_loaded(b);
                        match &cond.poly {
                            Some(cond) => depends.extend(&self.varies(cond)),
                            None => depends.extend(&self.here()),
                        }
                        let known = (decided, usual);
                        let chosen = self.chosen(known, (there_poly, a), depends, loaded);
                        self.note_choice(chosen.as_ref(), cond, [there_poly, a]);
                        chosen
                    }
                };
            }
            self.env.insert(key, joined);
        }
    }

    /// An integer that is one of two, the first where a condition holds that may be decided for this launch, or may
    /// usually hold or not.
    pub(super) fn chosen(
        &mut self,
        (decided, usual): (Option<bool>, Option<bool>),
        (then, otherwise): (&Poly, &Poly),
        depends: Depends,
        loaded: bool,
    ) -> Option<Poly> {
        let taken = match decided {
            Some(holds) => Some(if holds { then } else { otherwise }),
            None => None,
        };
        let depends = taken.map_or(depends, |taken| self.varies(taken));
        let value = self.opaque(depends, loaded);
        let at = taken.and_then(|taken| self.graph.evaluate(taken));
        if let (Some(at), Some(sym)) = (at, super::sole_symbol(&value)) {
            self.graph.set_value(sym, at);
        }
        let choices = match decided.or(usual) {
            Some(true) => vec![then.clone()],
            Some(false) => vec![otherwise.clone()],
            None => vec![then.clone(), otherwise.clone()],
        };
        self.note_made(&value, Made::Near(choices));
        value.poly
    }

    pub(super) fn is_ndrange(&self) -> bool {
        self.input.form != Form::SingleWorkItem
    }

    /// The counters of the loops around, and the ids of work-items.
    pub(super) fn here(&self) -> Depends {
        let around = self.graph.ancestors(self.at.region);
        let counters = around.filter(|region| *region != 0).map(Sym::Iter);
        let dims = if self.is_ndrange() { 3 } else { 0 };
        let ids = (0..dims).flat_map(|dim| [Sym::LocalId(dim), Sym::GroupId(dim)]);
        counters.chain(ids).collect()
    }
}

/// What a declaration says of copies for iterations that overlap; 0 leaves it to aoc.
fn private_copies(variable: &Variable) -> Option<u64> {
    number(variable, "private_copies").filter(|copies| *copies > 0)
}

/// What a declaration says of banks. Their width is that of an element where it does not say.
pub(super) fn banks(module: &Module, variable: &Variable) -> Option<Banks> {
    let count = number(variable, "numbanks").filter(|count| *count > 0)?;
    let mut element = variable.ty.ty;
    while let Some((inner, _)) = module.types.as_array(element) {
        element = inner.ty;
    }
    let own = module.layout(element).map(|layout| layout.size);
    let width = number(variable, "bankwidth").or(own)?;
    (width > 0).then_some(Banks { count, width })
}

/// The number that an attribute of a declaration has, such as `numbanks(8 * 8)`.
fn number(variable: &Variable, name: &str) -> Option<u64> {
    let mut attrs = variable.attrs.iter();
    let attr = attrs.find(|attr| attr.name == name)?;
    let factors = attr.args.as_deref()?.split('*');
    let mut numbers = factors.map(|factor| factor.trim().parse::<u64>().ok());
    numbers.try_fold(1, |product: u64, number| product.checked_mul(number?))
}
