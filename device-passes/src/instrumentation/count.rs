//! Kernels that count: how often their loops and branches are taken, for `fpgacc trace`.
//!
//! This is no pass: what it makes computes what the kernel computed before, and counts. Each function
//! with loops or branches counts in private variables, 64 bits each, and adds them to memory where it
//! returns. That memory is a last parameter of every kernel, handed down to the functions that
//! need it: two words a counter, the lower one first, of which the lower carries into the higher, since
//! only atomics of 32 bits are everywhere.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, Block, Callee, CaseLabel, Expr, ExprId, FileNames, Function,
    FunctionId, Init, Item, Module, QualType, Scalar, Stmt, StmtKind, Type, TypeId, UnaryOp, VarId,
    Variable,
};
use fpgacc_frontend::source::Span;

use super::hidden::{self, before_ends, hand_down, insert};
use super::log;

/// What is counted at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A loop: how often it was entered, and its iterations.
    Loop,
    /// An `if`: how often its condition was evaluated, and how often it was true.
    If,
    /// A case of a `switch`: how often the value was looked at, and how often the case's statements
    /// were reached, also from those before them.
    Case,
}

/// A site that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What it is.
    pub kind: Kind,
    /// The function that it stands in.
    pub function: String,
    /// The statement, or the case's label.
    pub span: Option<Span>,
    /// Number of the counter of entries or evaluations, from 0.
    pub reached: u32,
    /// Number of the counter of iterations, or of how often it was taken.
    pub taken: u32,
}

/// What a module counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// The sites, in order of functions.
    pub sites: Vec<Site>,
    /// How many counters there are. The memory has two words for each.
    pub counters: u32,
}

/// Makes the kernels of a module count. Each of them gets a last parameter `__global uint *`.
pub fn count(module: &mut Module) -> Counting {
    let mut counting = Counting::default();
    let words = words(module);
    let taken = module.global_names();
    let with_body: Vec<FunctionId> = module.functions.ids().collect();
    let mut own: Vec<Vec<(u32, VarId)>> = Vec::new();
    for &id in &with_body {
        own.push(count_in(module, id, &taken, &mut counting));
    }
    let needing = needing(module, &own);
    let adder = adder(module, words, &taken);
    for id in with_body {
        let memory = needing
            .contains(&id)
            .then(|| add_parameter(module, id, words, &taken));
        if let Some(memory) = memory {
            let function = &mut module.functions[id];
            hand_down(function, &needing, &mut |f| vec![f.use_var(memory)]);
            keep(module, id, memory, adder, &own[id.index()]);
        }
    }
    counting
}

/// The type of the memory.
fn words(module: &mut Module) -> TypeId {
    let uint = module.types.scalar(Scalar::UInt);
    module.types.intern(Type::Pointer {
        pointee: QualType::plain(uint),
        space: AddressSpace::Global,
    })
}

/// Functions that count or call one that does. All kernels are among them: how their arguments are
/// set must not depend on what is in them.
fn needing(module: &Module, own: &[Vec<(u32, VarId)>]) -> BTreeSet<FunctionId> {
    hidden::needing(module, &|id, f| f.is_kernel || !own[id.index()].is_empty())
}

/// Makes the statements of a function count; gives its counters and their variables.
fn count_in(
    module: &mut Module,
    id: FunctionId,
    taken: &FileNames,
    counting: &mut Counting,
) -> Vec<(u32, VarId)> {
    let ulong = module.types.scalar(Scalar::ULong);
    let function = &mut module.functions[id];
    let body = match log::is_made(function) {
        true => None,
        false => function.body.take(),
    };
    let Some(mut body) = body else {
        return Vec::new();
    };
    let mut counter = Counter {
        function,
        taken,
        ulong,
        counting,
        own: Vec::new(),
    };
    counter.list(&mut body.stmts);
    let own = counter.own;
    module.functions[id].body = Some(body);
    own
}

struct Counter<'a> {
    function: &'a mut Function,
    taken: &'a FileNames,
    ulong: TypeId,
    counting: &'a mut Counting,
    own: Vec<(u32, VarId)>,
}

impl Counter<'_> {
    /// A new counter and its variable.
    fn counter(&mut self) -> (u32, VarId) {
        let hint = format!("fpgacc_n{}", self.own.len());
        let var = self.function.add_var(&hint, self.ulong, self.taken);
        let one = (self.counting.counters, var);
        self.counting.counters += 1;
        self.own.push(one);
        one
    }

    fn site(&mut self, kind: Kind, span: Option<Span>, reached: u32, taken: u32) {
        self.counting.sites.push(Site {
            kind,
            function: self.function.name.clone(),
            span,
            reached,
            taken,
        });
    }

    /// `var++;`
    fn increment(&mut self, var: VarId) -> Stmt {
        Stmt::new(StmtKind::Expr(self.function.increment(var)))
    }

    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            stmts.extend(self.stmt(&mut stmt));
            stmts.push(stmt);
        }
    }

    /// Gives what has to stand before the statement.
    fn stmt(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let span = stmt.span;
        let (kind, block) = match &mut stmt.kind {
            StmtKind::Block(block) => {
                self.list(&mut block.stmts);
                return None;
            }
            StmtKind::Switch { arms, .. } => {
                let (number, reached) = self.counter();
                for arm in arms {
                    let (own, taken) = self.counter();
                    let label = arm.labels.iter().find_map(|label| match label {
                        CaseLabel::Case(value) | CaseLabel::Range(value, _) => {
                            self.function.exprs.span(*value)
                        }
                        CaseLabel::Default => None,
                    });
                    let first = arm.body.first().and_then(|stmt| stmt.span);
                    self.site(Kind::Case, label.or(first).or(span), number, own);
                    self.list(&mut arm.body);
                    let increment = self.increment(taken);
                    insert(&mut arm.body, [increment]);
                }
                return Some(self.increment(reached));
            }
            StmtKind::If { then, .. } => (Kind::If, then),
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => (Kind::Loop, body),
            _ => return None,
        };
        let ((reached, before), (taken, inside)) = (self.counter(), self.counter());
        self.site(kind, span, reached, taken);
        self.list(&mut block.stmts);
        let increment = self.increment(inside);
        insert(&mut block.stmts, [increment]);
        if let StmtKind::If {
            otherwise: Some(otherwise),
            ..
        } = &mut stmt.kind
        {
            self.list(&mut otherwise.stmts);
        }
        Some(self.increment(before))
    }
}

fn add_parameter(module: &mut Module, id: FunctionId, words: TypeId, taken: &FileNames) -> VarId {
    let function = &mut module.functions[id];
    let memory = function.add_var("fpgacc_counters", words, taken);
    function.params.push(memory);
    memory
}

/// Declares the variables and adds them to the memory wherever the function ends.
fn keep(
    module: &mut Module,
    id: FunctionId,
    memory: VarId,
    adder: FunctionId,
    own: &[(u32, VarId)],
) {
    let mut body = module.functions[id].body.take().unwrap_or_default();
    before_ends(&mut body.stmts, &mut || {
        additions(module, id, memory, adder, own)
    });
    let function = &mut module.functions[id];
    let declare = |(_, var): &(u32, VarId)| {
        let zero = function.exprs.int(&mut module.types, 0);
        let init = Some(Init::Expr(zero));
        Stmt::new(StmtKind::Decl { var: *var, init })
    };
    let declarations: Vec<Stmt> = own.iter().map(declare).collect();
    insert(&mut body.stmts, declarations);
    module.functions[id].body = Some(body);
}

/// `fpgacc_count(memory, 2 * number, var);` for each counter.
fn additions(
    module: &mut Module,
    id: FunctionId,
    memory: VarId,
    adder: FunctionId,
    own: &[(u32, VarId)],
) -> Vec<Stmt> {
    let ty = module.functions[adder].ret.ty;
    let function = &mut module.functions[id];
    let add = |(number, var): &(u32, VarId)| {
        let at = function
            .exprs
            .int(&mut module.types, 2 * i64::from(*number));
        let args = vec![function.use_var(memory), at, function.use_var(*var)];
        let callee = Callee::Function(adder);
        let call = function.exprs.add(Expr::Call { callee, args }, ty, None);
        Stmt::new(StmtKind::Expr(call))
    };
    own.iter().map(add).collect()
}

/// The function that adds 64 bits to two words. It has no branches: those after which barriers stand
/// are what implementations stumble over.
///
/// ```c
/// void fpgacc_count(__global uint *counters, uint at, ulong count)
/// {
///     uint low = (uint)count;
///     uint high = (uint)(count >> 32) + (atomic_add(counters + at, low) > ~low);
///     atomic_add(counters + at + 1, high);
/// }
/// ```
fn adder(module: &mut Module, words: TypeId, taken: &FileNames) -> FunctionId {
    let void = module.types.intern(Type::Void);
    let [uint, ulong] = [Scalar::UInt, Scalar::ULong].map(|scalar| module.types.scalar(scalar));
    let mut function = Function::new(fresh("fpgacc_count", taken), void);
    let mut variable = |name: &str, ty: TypeId| {
        function
            .vars
            .add(Variable::new(fresh(name, taken), ty, AddressSpace::Private))
    };
    let (counters, at) = (variable("counters", words), variable("at", uint));
    let (count, low) = (variable("count", ulong), variable("low", uint));
    let high = variable("high", uint);
    function.params = vec![counters, at, count];
    let mut adder = Adder {
        module,
        function,
        uint,
    };
    let body = adder.body(counters, at, count, low, high);
    let mut function = adder.function;
    function.body = Some(Block::of(body));
    let id = module.functions.add(function);
    module.items.insert(0, Item::Function(id));
    id
}

fn fresh(hint: &str, taken: &FileNames) -> String {
    let numbered = (2..).map(|number| format!("{hint}_{number}"));
    let mut names = std::iter::once(hint.to_string()).chain(numbered);
    let free = names.find(|name| !taken.contains(name));
    free.expect("there are more numbers than names")
}

/// Writes the function that adds.
struct Adder<'a> {
    module: &'a mut Module,
    function: Function,
    uint: TypeId,
}

impl Adder<'_> {
    fn body(
        &mut self,
        counters: VarId,
        at: VarId,
        count: VarId,
        low: VarId,
        high: VarId,
    ) -> Vec<Stmt> {
        let narrow = self.function.use_var(count);
        let narrow = self.function.exprs.cast(self.uint, narrow);
        let location = self.sum(counters, at, false);
        let before = self.atomic_add(location, low);
        let low_used = self.function.use_var(low);
        let op = UnaryOp::Complement;
        let unary = Expr::Unary {
            op,
            operand: low_used,
        };
        let rest = self.function.exprs.add(unary, self.uint, None);
        let carry = self.binary(BinaryOp::Gt, before, rest);
        let (whole, bits) = (self.function.use_var(count), self.int(32));
        let upper = self.binary(BinaryOp::Shr, whole, bits);
        let upper = self.function.exprs.cast(self.uint, upper);
        let upper = self.binary(BinaryOp::Add, upper, carry);
        let next = self.sum(counters, at, true);
        let add = self.atomic_add(next, high);
        let declare = |var, value| {
            let init = Some(Init::Expr(value));
            Stmt::new(StmtKind::Decl { var, init })
        };
        vec![
            declare(low, narrow),
            declare(high, upper),
            Stmt::new(StmtKind::Expr(add)),
        ]
    }

    fn int(&mut self, value: i64) -> ExprId {
        self.function.exprs.int(&mut self.module.types, value)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let types = &mut self.module.types;
        self.function.exprs.binary(types, op, lhs, rhs)
    }

    /// `counters + at`, or the word after it.
    fn sum(&mut self, counters: VarId, at: VarId, is_next: bool) -> ExprId {
        let (base, at) = (self.function.use_var(counters), self.function.use_var(at));
        let sum = self.binary(BinaryOp::Add, base, at);
        match is_next {
            true => {
                let one = self.int(1);
                self.binary(BinaryOp::Add, sum, one)
            }
            false => sum,
        }
    }

    fn atomic_add(&mut self, location: ExprId, value: VarId) -> ExprId {
        let value = self.function.use_var(value);
        let args = vec![location, value];
        self.function
            .exprs
            .call_builtin("atomic_add", self.uint, args)
    }
}
