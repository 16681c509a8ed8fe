//! `vectorise-loops`: iterations of a loop become lanes.
//!
//! A loop that counts an integer up by one is run for several iterations at a time, with vectors, and a loop
//! like it does what is left (the intra-vectorisation of Fang and Varbanescu). The code is made as for
//! work-items.
//!
//! Why it is right: iterations may run together if none needs what another one writes. Memory that the loop
//! writes it writes at the element that the counter is for, and accesses nowhere else; variables live inside
//! the body, or add up integers, modulo two to their width, in any order.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Expr, ExprId, Function, FunctionId, Init, LoopHints, Module,
    Scalar, Stmt, StmtKind, VarId, VarRef,
};
use fpgacc_kernel_analysis::accesses::{Access, Accesses, Summaries};
use fpgacc_kernel_analysis::alias::Aliases;
use fpgacc_kernel_analysis::constant;
use fpgacc_kernel_analysis::faults;
use fpgacc_kernel_analysis::loops;
use fpgacc_kernel_analysis::nest::Header;
use fpgacc_kernel_analysis::variables::declared;
use fpgacc_kernel_analysis::work_item::Query;

use crate::options::OwnOptions;
use crate::pass::{About, Context, LaunchContract, Note, Outcome, Pass};
use crate::passes::ndrange_to_loop::statements::declaration;
use crate::passes::ndrange_to_loop::work_items::ids::Target;
use crate::passes::vectorise::emitter::{Emitter, First, Lane};
use crate::passes::vectorise::shapes::{Lanes, Linear, Shape, Shapes, root};
use crate::passes::vectorise::width;
use crate::setting::{PassFlag, Setting, number};

/// The name of the pass that makes vectors of iterations.
pub const VECTORISE_LOOPS: &str = "vectorise-loops";

/// The pass.
pub struct VectoriseLoops;

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopOptions {
    /// As many iterations become one; `None`: none.
    pub lanes: Option<u64>,
}

impl OwnOptions for LoopOptions {
    const DEFAULT: &'static Self = &LoopOptions { lanes: None };
}

const SETTING: Setting = Setting::new(VECTORISE_LOOPS, |options, text| {
    options.of_mut::<LoopOptions>().lanes = Some(number(text)?);
    Ok(())
})
.flag(
    PassFlag::Value("LANES"),
    "Run LANES iterations (2, 4, 8 or 16) of innermost loops at a time, with vectors, where none needs what \
     another one writes",
)
.checked(width::check)
.turns_on();

impl Pass for VectoriseLoops {
    fn about(&self) -> About {
        About {
            name: VECTORISE_LOOPS,
            description: "make vectors of what iterations of loops compute",
            level: 3,
            requires: &[],
            after: &["ndrange-to-loop", "restrict"],
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTING]
    }

    fn has_work(&self, module: &Module, kernel: FunctionId, context: &Context<'_>) -> bool {
        context.options.of::<LoopOptions>().lanes.is_some()
            && loops::structured_body(&module.functions[kernel]).is_some()
    }

    fn run(
        &self,
        module: &mut Module,
        kernel: FunctionId,
        context: &Context<'_>,
        _contract: &mut LaunchContract,
    ) -> Outcome {
        let Some(width) = context.options.of::<LoopOptions>().lanes else {
            return Outcome::Nothing;
        };
        let (mut done, mut missed) = (Vec::new(), Vec::new());
        let mut index = 0;
        while let Some(stmt) = innermost(&module.functions[kernel], index) {
            let made = vectorised(module, kernel, context, (&stmt, width as u8));
            match made {
                Ok((function, block)) => {
                    module.functions[kernel] = function;
                    // The loop over vectors, those over lanes in it, and the one after it stay as they are.
                    let made = block.iter().map(innermost_in).sum::<usize>();
                    if let Some(body) = &mut module.functions[kernel].body {
                        replace(&mut body.stmts, &mut 0, index, block);
                    }
                    let text = format!(
                        "{width} iterations of this loop become one, with vectors of {width}"
                    );
                    let form = format!("loops with vectors of {width}");
                    done.push(Note::new(text, stmt.span).names_form(form));
                    index += made;
                    continue;
                }
                Err(mut why) => missed.append(&mut why),
            }
            index += 1;
        }
        self.outcome(&mut module.functions[kernel], done, missed)
    }
}

fn is_innermost(stmt: &Stmt) -> bool {
    loops::count(stmt) == 1 && loops::hints(stmt).is_some()
}

/// The loops in a statement with none inside.
fn innermost_in(stmt: &Stmt) -> usize {
    let mut count = 0;
    stmt.for_each(&mut |stmt| count += usize::from(is_innermost(stmt)));
    count
}

/// The loop with this number among those with none inside.
fn innermost(function: &Function, number: usize) -> Option<Stmt> {
    let (mut at, mut found) = (0, None);
    function.body.as_ref()?.for_each_stmt(&mut |stmt| {
        if is_innermost(stmt) {
            if at == number {
                found = Some(stmt.clone());
            }
            at += 1;
        }
    });
    found
}

fn replace(stmts: &mut [Stmt], at: &mut usize, number: usize, block: Vec<Stmt>) {
    let mut block = Some(block);
    replace_in(stmts, at, number, &mut block);
}

fn replace_in(stmts: &mut [Stmt], at: &mut usize, number: usize, block: &mut Option<Vec<Stmt>>) {
    for stmt in stmts {
        if is_innermost(stmt) {
            if *at == number
                && let Some(block) = block.take()
            {
                *stmt = Stmt::at(StmtKind::Block(Block::of(block)), stmt.span);
                return;
            }
            *at += 1;
            continue;
        }
        for list in stmt.lists_mut() {
            replace_in(list, at, number, block);
            if block.is_none() {
                return;
            }
        }
    }
}

/// Iterations as lanes.
struct Iterations {
    counter: VarId,
    /// What the body declares.
    own: BTreeSet<VarId>,
    /// Sums, a component for each lane.
    sums: BTreeSet<VarId>,
}

impl Lanes for Iterations {
    fn query(&self, _: Query) -> Shape {
        Shape::Uniform
    }

    fn given(&self, var: VarId) -> Option<Shape> {
        if var == self.counter {
            return Some(Shape::Linear(Linear {
                stride: 1,
                exact: true,
                aligned: false,
            }));
        }
        if self.sums.contains(&var) {
            return Some(Shape::Varying);
        }
        (!self.own.contains(&var)).then_some(Shape::Uniform)
    }
}

/// Work-item functions give all iterations the same.
struct Same;

impl First for Same {
    fn query(&self, target: &mut Target<'_>, slot: ExprId, _: Query) -> ExprId {
        target.function.exprs.duplicate(slot)
    }
}

/// A variable from outside that the body adds up in.
struct Sum {
    var: VarId,
    op: BinaryOp,
    /// Unsigned, as wide.
    scalar: Scalar,
}

/// What is known of a loop.
struct Plan {
    header: Header,
    counter: Scalar,
    sums: Vec<Sum>,
    own: BTreeSet<VarId>,
}

/// The function with what the loop needs, and what stands in its place.
fn vectorised(
    module: &mut Module,
    kernel: FunctionId,
    context: &Context<'_>,
    (stmt, width): (&Stmt, u8),
) -> Result<(Function, Vec<Stmt>), Vec<Note>> {
    let summaries = Summaries::reachable(module, kernel, context.called);
    let plan = plan(module, kernel, context, (&summaries, stmt))
        .map_err(|text| vec![Note::new(text, stmt.span)])?;
    let StmtKind::For { body, .. } = &stmt.kind else {
        return Err(Vec::new());
    };
    let mut function = module.functions[kernel].clone();
    let mut stmts = copied(&mut function, &body.stmts);
    let mut sums = Vec::new();
    for sum in &plan.sums {
        let ty = module.types.scalar(sum.scalar);
        let name = format!("{}_lanes", function.vars[sum.var].name);
        let var = function.add_var(&name, ty, context.names);
        redirect(&mut function, &mut stmts, sum.var, var);
        sums.push(var);
    }
    let lanes = Iterations {
        counter: plan.header.counter,
        own: own_copies(&mut function, &mut stmts, &plan.own),
        sums: sums.iter().copied().collect(),
    };
    let shapes = Shapes::of(module, &function, &summaries, &lanes, &stmts);
    let target = Target {
        function: &mut function,
        types: &mut module.types,
        taken: context.names,
    };
    let mut emitter = Emitter::new(target, &shapes, &Same, width);
    let vectors = emitter.list(&stmts);
    if !emitter.problems.is_empty() {
        return Err(emitter.problems);
    }
    if emitter.vectors == 0 {
        return Err(vec![Note::new(
            "nothing in this loop has a vector form",
            stmt.span,
        )]);
    }
    let mut out = Vec::new();
    for (sum, var) in plan.sums.iter().zip(&sums) {
        let start = i64::from(sum.op == BinaryOp::BitAnd);
        let start = emitter.target.int(-start);
        let start = emitter.splat(start, sum.scalar);
        out.push(declaration(*var, Some(start)));
    }
    let counter = plan.header.counter;
    if let StmtKind::For { init, .. } = &stmt.kind {
        let copied: Vec<Stmt> = init.clone();
        out.extend(copied);
    }
    out.push(over_vectors(&mut emitter, &plan, (counter, width), vectors));
    for (sum, var) in plan.sums.iter().zip(&sums) {
        out.push(added(&mut emitter, sum, *var, width));
    }
    out.push(rest(stmt));
    Ok((function, out))
}

/// `for (; (long)j + 3 < n; j += 4) { .. }`
fn over_vectors(
    emitter: &mut Emitter<'_>,
    plan: &Plan,
    (counter, width): (VarId, u8),
    body: Vec<Stmt>,
) -> Stmt {
    let target = &mut emitter.target;
    let wide = match plan.counter.is_signed_integer() {
        true => Scalar::Long,
        false => Scalar::ULong,
    };
    let wide = target.types.scalar(wide);
    let at = target.function.use_var(counter);
    let at = target.function.exprs.cast(wide, at);
    let more = target.int(i64::from(width) - 1);
    let last = target.binary(BinaryOp::Add, at, more);
    let bound = target.function.exprs.duplicate(plan.header.bound);
    let cond = target.binary(plan.header.op, last, bound);
    let operand = target.function.use_var(counter);
    let by = target.int(i64::from(width));
    let step = target
        .function
        .exprs
        .assign(Some(BinaryOp::Add), operand, by);
    Stmt::new(StmtKind::For {
        init: Vec::new(),
        cond: Some(cond),
        step: Some(step),
        body: Block::of(body),
        hints: LoopHints::default(),
    })
}

/// `sum += lanes.s0 + lanes.s1 + ..;`
fn added(emitter: &mut Emitter<'_>, sum: &Sum, var: VarId, width: u8) -> Stmt {
    let count = match faults::is_on("vector-sum-lost") {
        true => width - 1,
        false => width,
    };
    // What was taken away from nothing is added.
    let op = match sum.op {
        BinaryOp::Sub => BinaryOp::Add,
        other => other,
    };
    let mut total = None;
    for number in 0..count {
        let vector = emitter.target.function.use_var(var);
        let part = emitter.component(vector, Lane::Of(number));
        total = Some(match total {
            None => part,
            Some(before) => emitter.target.binary(op, before, part),
        });
    }
    let target = &mut emitter.target;
    let location = target.function.use_var(sum.var);
    let total = total.unwrap_or_else(|| target.int(0));
    let made = target.function.exprs.assign(Some(op), location, total);
    Stmt::new(StmtKind::Expr(made))
}

/// The loop as it was, from where the counter is.
fn rest(stmt: &Stmt) -> Stmt {
    let mut rest = stmt.clone();
    if let StmtKind::For { init, .. } = &mut rest.kind {
        init.clear();
    }
    rest
}

/// Copies of statements, with expressions of their own.
fn copied(function: &mut Function, stmts: &[Stmt]) -> Vec<Stmt> {
    let mut copies = stmts.to_vec();
    for stmt in &mut copies {
        copy_exprs(function, stmt);
    }
    copies
}

fn copy_exprs(function: &mut Function, stmt: &mut Stmt) {
    crate::passes::vectorise::emitter::map_exprs(stmt, &mut |id| function.exprs.duplicate(id));
    for list in stmt.lists_mut() {
        for stmt in list {
            copy_exprs(function, stmt);
        }
    }
}

/// Gives copied statements variables of their own; these.
fn own_copies(
    function: &mut Function,
    stmts: &mut [Stmt],
    own: &BTreeSet<VarId>,
) -> BTreeSet<VarId> {
    let mut copies = BTreeSet::new();
    for &var in own {
        let variable = function.vars[var].clone();
        let copy = function.vars.add(variable);
        redirect(function, stmts, var, copy);
        copies.insert(copy);
    }
    copies
}

/// Points uses and declarations of a variable at another one.
fn redirect(function: &mut Function, stmts: &mut [Stmt], from: VarId, to: VarId) {
    let (mut slots, mut assignments) = (Vec::new(), Vec::new());
    for stmt in stmts.iter() {
        stmt.for_each_expr(&function.exprs, &mut |id| {
            if *function.exprs.get(id) == Expr::Var(VarRef::Local(from)) {
                slots.push(id);
            }
            if let Expr::Assign { lhs, .. } = function.exprs.get(id)
                && *function.exprs.get(*lhs) == Expr::Var(VarRef::Local(from))
            {
                assignments.push(id);
            }
        });
    }
    let ty = function.vars[to].ty.ty;
    for slot in slots {
        function.point_to(slot, to);
    }
    for id in assignments {
        let expr = function.exprs.get(id).clone();
        function.exprs.replace(id, expr, ty);
    }
    for stmt in stmts {
        redeclare(stmt, from, to);
    }
}

fn redeclare(stmt: &mut Stmt, from: VarId, to: VarId) {
    if let StmtKind::Decl { var, .. } = &mut stmt.kind
        && *var == from
    {
        *var = to;
    }
    for list in stmt.lists_mut() {
        for stmt in list {
            redeclare(stmt, from, to);
        }
    }
}

/// Looks at a loop.
fn plan(
    module: &Module,
    kernel: FunctionId,
    context: &Context<'_>,
    (summaries, stmt): (&Summaries, &Stmt),
) -> Result<Plan, String> {
    let function = &module.functions[kernel];
    let header = Header::of(function, stmt).ok_or("this loop does not count")?;
    let counter = counts_up(module, function, &header)?;
    let StmtKind::For { init, body, .. } = &stmt.kind else {
        return Err("this loop does not count".to_string());
    };
    if !declares_counter(init) {
        return Err("its counter lives outside of it".to_string());
    }
    if !has_plain_bound(module, function, &header, counter) {
        return Err("its bound is no plain number".to_string());
    }
    if leaves(&body.stmts) {
        return Err("it is left early, or continues".to_string());
    }
    let own = declared(&body.stmts);
    let aliases = Aliases::new(module, kernel, context.called);
    let accesses = Accesses::of_stmts(&aliases, summaries, &body.stmts);
    if accesses.synchronises.is_some() {
        return Err("it synchronises".to_string());
    }
    let mut all = accesses.list.iter();
    if all.any(|access| aliases.is_volatile(access.at)) {
        return Err("it accesses volatile memory".to_string());
    }
    let of_counter = VarRef::Local(header.counter);
    if function.exprs.uses(header.bound, of_counter) {
        return Err("its bound changes".to_string());
    }
    let sums = writes(
        module,
        function,
        (&aliases, &accesses),
        (&header, &own, &body.stmts),
    )?;
    Ok(Plan {
        header,
        counter,
        sums,
        own,
    })
}

/// The type of a counter that goes up by one.
fn counts_up(module: &Module, function: &Function, header: &Header) -> Result<Scalar, String> {
    let counter = module
        .types
        .as_scalar(function.vars[header.counter].ty.ty)
        .filter(|scalar| matches!(scalar, Scalar::Int | Scalar::UInt))
        .ok_or("its counter is neither int nor uint")?;
    let is_one = |by| constant::integer(module, &function.exprs, by) == Some(1);
    let is_up = matches!(header.op, BinaryOp::Lt | BinaryOp::Le) && !header.down;
    match is_up && header.by.is_none_or(is_one) {
        true => Ok(counter),
        false => Err("this loop does not count up by one".to_string()),
    }
}

fn declares_counter(init: &[Stmt]) -> bool {
    matches!(
        init,
        [Stmt {
            kind: StmtKind::Decl {
                init: Some(Init::Expr(_)),
                ..
            },
            ..
        }]
    )
}

/// Whether the counter is compared, in its own type, with a number that does not depend on when it is asked for.
fn has_plain_bound(module: &Module, function: &Function, header: &Header, counter: Scalar) -> bool {
    let exprs = &function.exprs;
    let bound = module.types.as_scalar(exprs.ty(header.bound));
    let is_counters = bound.is_some_and(|bound| match counter {
        Scalar::UInt => matches!(bound, Scalar::UInt | Scalar::UChar | Scalar::UShort),
        _ => matches!(
            bound,
            Scalar::Int | Scalar::Short | Scalar::Char | Scalar::UChar | Scalar::UShort
        ),
    });
    is_counters
        && matches!(exprs.get(header.compared), Expr::Var(_))
        && !exprs.has_effects(header.bound)
        && !exprs.touches_memory(header.bound)
}

fn leaves(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            found |= matches!(
                stmt.kind,
                StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Return(_)
                    | StmtKind::Switch { .. }
            );
        });
    }
    found
}

/// The sums of a loop, if it writes nothing else that another iteration may need.
fn writes(
    module: &Module,
    function: &Function,
    (aliases, accesses): (&Aliases<'_>, &Accesses),
    (header, own, stmts): (&Header, &BTreeSet<VarId>, &[Stmt]),
) -> Result<Vec<Sum>, String> {
    let mut sums: Vec<Sum> = Vec::new();
    let bound_uses = |var| function.exprs.uses(header.bound, VarRef::Local(var));
    for write in accesses.writes() {
        let var = root(module, function, write.at).filter(|_| write.exact);
        let var = var.filter(|var| function.vars[*var].space == AddressSpace::Private);
        let Some(var) = var else {
            element(module, function, (aliases, accesses), (header, own), write)?;
            continue;
        };
        if own.contains(&var) {
            continue;
        }
        let name = &function.vars[var].name;
        if sums.iter().any(|sum| sum.var == var) {
            return Err(format!("'{name}' is changed more than once"));
        }
        let sum = sum_in(module, function, stmts, var)
            .filter(|_| !bound_uses(var) && var != header.counter);
        let sum = sum.ok_or_else(|| format!("iterations depend on each other through '{name}'"))?;
        sums.push(sum);
    }
    Ok(sums)
}

/// `var += ..;` where nothing else uses `var`.
fn sum_in(module: &Module, function: &Function, stmts: &[Stmt], var: VarId) -> Option<Sum> {
    let exprs = &function.exprs;
    let scalar = match module.types.as_scalar(function.vars[var].ty.ty)? {
        Scalar::Int | Scalar::UInt => Scalar::UInt,
        Scalar::Long | Scalar::ULong => Scalar::ULong,
        _ => return None,
    };
    let (mut uses, mut found) = (0, None);
    for stmt in stmts {
        stmt.for_each(&mut |stmt| {
            for root in stmt.exprs() {
                exprs.for_each(root, &mut |id| {
                    uses += usize::from(*exprs.get(id) == Expr::Var(VarRef::Local(var)));
                });
            }
            if let StmtKind::Expr(root) = stmt.kind
                && let Expr::Assign {
                    op: Some(op),
                    lhs,
                    rhs,
                } = exprs.get(root)
                && *exprs.get(*lhs) == Expr::Var(VarRef::Local(var))
                && module
                    .types
                    .as_scalar(exprs.ty(*rhs))
                    .is_some_and(|by| by.is_integer() && by.size() <= scalar.size())
            {
                found = Some(*op);
            }
        });
    }
    let op = found.filter(|op| {
        matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        )
    })?;
    (uses == 1).then_some(Sum { var, op, scalar })
}

/// Whether what is written is an iteration's own element, which nothing else in the loop touches.
fn element(
    module: &Module,
    function: &Function,
    (aliases, accesses): (&Aliases<'_>, &Accesses),
    (header, own): (&Header, &BTreeSet<VarId>),
    write: &Access,
) -> Result<(), String> {
    let refusal = || "an iteration may write what another one needs".to_string();
    let exprs = &function.exprs;
    let Expr::Index { base, index } = exprs.get(write.at) else {
        return Err(refusal());
    };
    let is_memory = matches!(
        write.space,
        Some(AddressSpace::Global | AddressSpace::Local)
    );
    if !is_memory || aliases.is_volatile(write.at) {
        return Err(refusal());
    }
    let changes = |id: ExprId| {
        exprs.any(id, &mut |id| match exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                own.contains(var)
                    || accesses.writes().any(|write| {
                        write.exact
                            && root(module, function, write.at) == Some(*var)
                            && function.vars[*var].space == AddressSpace::Private
                    })
            }
            Expr::Var(VarRef::Global(_)) | Expr::Index { .. } | Expr::Call { .. } => true,
            Expr::Unary {
                op: fpgacc_frontend::ir::UnaryOp::Deref,
                ..
            }
            | Expr::Member { .. } => true,
            _ => false,
        })
    };
    let counts = !exprs.uses(*base, VarRef::Local(header.counter))
        && steps(module, function, *index, header.counter);
    if !write.exact || !counts || changes(*base) || changes(*index) {
        return Err(refusal());
    }
    // In which elements they meet is asked of one iteration; here it is all.
    let anywhere = |access: &Access| Access {
        exact: false,
        ..access.clone()
    };
    let mut others = (accesses.list.iter())
        .filter(|other| aliases.may_overlap(&anywhere(write), &anywhere(other)));
    match others.all(|other| other.exact && exprs.same(other.at, write.at)) {
        true => Ok(()),
        false => Err(refusal()),
    }
}

/// Whether an index is the counter, or a sum of it and of what does not change.
fn steps(module: &Module, function: &Function, id: ExprId, counter: VarId) -> bool {
    let uses = |id| function.exprs.uses(id, VarRef::Local(counter));
    match *function.exprs.get(id) {
        Expr::Var(VarRef::Local(var)) => var == counter,
        Expr::Binary {
            op: BinaryOp::Add,
            lhs,
            rhs,
        } => {
            let is_wide = |id| {
                let scalar = module.types.as_scalar(function.exprs.ty(id));
                scalar.is_some_and(|scalar| scalar.is_signed_integer() || scalar.size() == 8)
            };
            is_wide(id)
                && (steps(module, function, lhs, counter) && !uses(rhs)
                    || steps(module, function, rhs, counter) && !uses(lhs))
        }
        Expr::Binary {
            op: BinaryOp::Sub,
            lhs,
            rhs,
        } => {
            let scalar = module.types.as_scalar(function.exprs.ty(id));
            scalar.is_some_and(Scalar::is_signed_integer)
                && steps(module, function, lhs, counter)
                && !uses(rhs)
        }
        _ => false,
    }
}
