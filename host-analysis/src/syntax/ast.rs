//! The syntax of hosts: what host analysis needs of C and C++, and no more.
//!
//! Nodes lie in arenas and refer to each other by handles, so that nothing here recurses when it is
//! built, cloned or dropped. What the parser did not understand becomes an `Opaque` node that lists
//! every name in it: whoever reasons about values must take those names as changed.

use fpgacc_frontend::source::Span;

/// Handle of an expression in [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

impl ExprId {
    /// Its position among all expressions of its [`Ast`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Handle of a statement in [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StmtId(u32);

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

impl UnaryOp {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// The operator's spelling.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    /// The operator that is spelled so.
    pub fn from_spelling(text: &str) -> Option<BinaryOp> {
        use BinaryOp::*;
        let all = [
            Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor, And, Or, Eq, Ne, Lt, Le, Gt,
            Ge,
        ];
        match text {
            "and" => return Some(And),
            "or" => return Some(Or),
            _ => {}
        }
        all.into_iter().find(|op| op.spelling() == text)
    }
}

/// A type as far as values depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// The name without qualifiers, its words in one order of many: `unsigned long`, `struct s`.
    pub base: String,
    /// Number of `*` around it.
    pub pointers: u8,
    /// Array dimensions, outermost first; `None` for `[]`.
    pub dims: Vec<Option<ExprId>>,
    /// A C++ reference.
    pub reference: bool,
    /// `const` or `constexpr` at the outermost level.
    pub is_const: bool,
    /// The pointee is `const`.
    pub pointee_const: bool,
    /// `volatile` stands among the specifiers: what the innermost pointer points to is, or, without
    /// pointers, itself.
    pub is_volatile: bool,
    /// Of a function or pointer to a function.
    pub function: bool,
    /// Of a parameter pack, `T... v`: as many parameters of such types as there are arguments.
    pub is_pack: bool,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal: its digits and suffix as spelled.
    Int(String),
    /// A floating-point literal as spelled.
    Float(String),
    /// A character literal's value.
    Char(i64),
    /// String literals, concatenated, as the compiler sees them. Bytes that are no characters
    /// stand as U+0080 to U+00FF.
    Str(String),
    /// String literals with macros between them.
    Juxtaposed(Vec<ExprId>),
    /// `true` or `false`.
    Bool(bool),
    /// `nullptr` or `NULL`.
    Null,
    /// A variable, function, macro or enumerator; qualified names with their `::`.
    Name(String),
    /// `callee(args)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// Arguments.
        args: Vec<ExprId>,
    },
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `target = value`, or `target op= value`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `++` or `--`, before or after.
    Step {
        /// What is changed.
        target: ExprId,
        /// `+1` or `-1`.
        by: i8,
        /// The value is that after the change.
        prefix: bool,
    },
    /// `condition ? yes : no`.
    Conditional(ExprId, ExprId, ExprId),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// A cast of any spelling.
    Cast(Type, ExprId),
    /// `sizeof(type)`.
    SizeofType(Type),
    /// `sizeof expression`.
    SizeofExpr(ExprId),
    /// `base[index]`.
    Index(ExprId, ExprId),
    /// `base.name` or `base->name`.
    Member {
        /// The object, or the pointer to it.
        base: ExprId,
        /// The field or method.
        name: String,
        /// Through a pointer.
        arrow: bool,
    },
    /// `*pointer`.
    Deref(ExprId),
    /// `&position`.
    AddressOf(ExprId),
    /// `(inner)`.
    Paren(ExprId),
    /// `{a, b}`; for each value the index or field that it is given for.
    InitList(Vec<(Option<Designator>, ExprId)>),
    /// `(type){a, b}` or `type{a, b}` or `type(a, b)`.
    Construct(Type, Vec<ExprId>),
    /// `pattern...` among arguments or in braces, and `(pattern, ...)`: the pattern for each element of a
    /// parameter pack, in order.
    Expansion {
        /// What stands for each.
        pattern: ExprId,
        /// The same as a whole, where the pack is not known.
        whole: ExprId,
    },
    /// `sizeof...(pack)`.
    SizeofPack,
    /// `new type`: constructor arguments, or the number of elements of an array.
    New {
        /// The element type.
        ty: Type,
        /// Elements of an array.
        count: Option<ExprId>,
        /// Constructor arguments.
        args: Vec<ExprId>,
    },
    /// A statement as an expression.
    Statement(StmtId),
    /// A lambda.
    Lambda(Lambda),
    /// Not understood.
    Opaque {
        /// Names that occur in it.
        names: Vec<String>,
        /// Expressions that were understood inside it, in order.
        inner: Vec<ExprId>,
    },
}

/// A lambda: a function with what it captures.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Its index in [`Ast::functions`].
    pub function: usize,
    /// `[=]`: names that are not listed are captured by value; else by reference.
    pub by_value: bool,
    /// Listed captures.
    pub captures: Vec<Capture>,
    /// Names that occur in it.
    pub names: Vec<String>,
}

/// A listed capture of a lambda.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Its name inside.
    pub name: String,
    /// `&name`.
    pub reference: bool,
    /// `name = value`.
    pub init: Option<ExprId>,
}

/// What a value of an initialiser list is given for.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `[index] =`
    Index(ExprId),
    /// `[first ... last] =`
    Range(ExprId, ExprId),
    /// `.name =`
    Field(String),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its initialiser: an expression, a list, or [`ExprKind::Construct`] for `T v(a, b)`.
    pub init: Option<ExprId>,
    /// `static`, at any scope.
    pub is_static: bool,
    /// `extern` without an initialiser: defined elsewhere.
    pub is_extern: bool,
    /// Where its name stands.
    pub span: Span,
}

/// A declared function without body.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Its name.
    pub name: String,
    /// Parameters.
    pub params: Vec<Variable>,
}

/// A handler of `try`.
#[derive(Clone, Debug)]
pub struct Handler {
    /// What it calls the thing that was thrown; nothing if it takes all, or gives it no name.
    pub param: Option<Variable>,
    /// What it does.
    pub body: StmtId,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression.
    Expr(ExprId),
    /// Variables, in order.
    Declare(Vec<Variable>),
    /// `{ .. }`.
    Block(Vec<StmtId>),
    /// `if`.
    If {
        /// A declaration in the condition, or C++17's initialiser.
        init: Option<StmtId>,
        /// The condition.
        condition: ExprId,
        /// If it holds.
        then: StmtId,
        /// Else.
        otherwise: Option<StmtId>,
    },
    /// `while`, `for`, or `do`.
    Loop(Loop),
    /// `for (variable : range)`.
    RangeFor {
        /// The variable.
        variable: Variable,
        /// What is gone through.
        range: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `switch`.
    Switch {
        /// The value.
        value: ExprId,
        /// A block with labels in it.
        body: StmtId,
    },
    /// `case v:` (with its value) or `default:`; a position in its block.
    Case(Option<ExprId>),
    /// `return`.
    Return(Option<ExprId>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `goto`, or anything else that jumps in a way that is not modelled.
    Goto(String),
    /// `name:`; a position in its block.
    Label(String),
    /// `try` and its handlers.
    Try {
        /// What is tried.
        body: StmtId,
        /// Handlers.
        handlers: Vec<Handler>,
    },
    /// `throw`.
    Throw(Option<ExprId>),
    /// Nothing.
    Empty,
    /// Not understood.
    Opaque {
        /// Names that occur in it.
        names: Vec<String>,
        /// Expressions that were understood inside it, in order.
        inner: Vec<ExprId>,
    },
}

/// A loop with a condition.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Before the first test.
    pub init: Option<StmtId>,
    /// The test; `None`: always true.
    pub condition: Option<ExprId>,
    /// After each round.
    pub step: Option<ExprId>,
    /// The body.
    pub body: StmtId,
    /// The body runs once before the first test.
    pub body_first: bool,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, with `Class::` or `namespace::` in front.
    pub name: String,
    /// The class that it is a member of.
    pub class: Option<String>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `...` stands after them.
    pub is_variadic: bool,
    /// `static` or in an unnamed namespace: seen in its file only.
    pub is_static: bool,
    /// What it returns.
    pub result: Type,
    /// A constructor's `field(value)` initialisers.
    pub initialisers: Vec<(String, Vec<ExprId>)>,
    /// Its body.
    pub body: StmtId,
    /// Where its name stands.
    pub span: Span,
}

impl Function {
    /// The parameter pack that its parameters end with, and the number of those before it.
    pub fn pack(&self) -> Option<(usize, &Variable)> {
        let last = self.params.len().checked_sub(1)?;
        let pack = self.params.last().filter(|param| param.ty.is_pack)?;
        Some((last, pack))
    }
}

/// The base type of bit-fields, whatever their type.
pub const BIT_FIELD: &str = "<bit-field>";

/// A struct, class or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Variable>,
    /// It is a union: fields share their bytes.
    pub is_union: bool,
    /// It has attributes or base classes that change its layout.
    pub odd_layout: bool,
    /// Its base classes by the names that the text gives them, without template arguments.
    pub bases: Vec<String>,
}

/// A file's syntax.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    /// Functions with bodies, in order.
    pub functions: Vec<Function>,
    /// Functions without.
    pub prototypes: Vec<Prototype>,
    /// Member functions that are declared in their class, called `Class::name`.
    pub methods: Vec<Prototype>,
    /// Declarations at file scope, in order.
    pub globals: Vec<StmtId>,
    /// Structs, classes and unions.
    pub records: Vec<Record>,
    /// Namespaces and names of `using namespace name;` and `using name;`, at any scope.
    pub usings: Vec<String>,
    /// `typedef` and `using`: name and type.
    pub typedefs: Vec<(String, Type)>,
    /// Enumerators: name, and value or `None` for one more than the one before (the first: 0).
    pub enumerators: Vec<Vec<(String, Option<ExprId>)>>,
}

impl Ast {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Some expression, if there is one.
    pub fn any_expr(&self) -> Option<ExprId> {
        (!self.exprs.is_empty()).then_some(ExprId(0))
    }

    /// String literals and where they stand, in order of the text.
    pub fn strings(&self) -> impl Iterator<Item = (&str, Span)> {
        self.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Str(text) => Some((text.as_str(), expr.span)),
            _ => None,
        })
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// Names that are called somewhere, without what stands before `::`, `.` or `->`.
    pub fn called_names(&self) -> std::collections::BTreeSet<&str> {
        let callee = |e: &Expr| match e.kind {
            ExprKind::Call { callee, .. } => Some(self.skip_parens(callee)),
            _ => None,
        };
        self.exprs
            .iter()
            .filter_map(callee)
            .filter_map(|id| match &self.expr(id).kind {
                ExprKind::Name(name) | ExprKind::Member { name, .. } => name.rsplit("::").next(),
                _ => None,
            })
            .collect()
    }

    /// Names that occur where they are not called: variables, and functions whose address is taken.
    pub fn named_uncalled(&self) -> std::collections::BTreeSet<&str> {
        let mut callees = std::collections::BTreeSet::new();
        for expr in &self.exprs {
            if let ExprKind::Call { callee, .. } = expr.kind {
                callees.insert(self.skip_parens(callee));
            }
        }
        let mut names = std::collections::BTreeSet::new();
        for (index, expr) in self.exprs.iter().enumerate() {
            match &expr.kind {
                ExprKind::Name(name) if !callees.contains(&ExprId(index as u32)) => {
                    names.insert(name.as_str());
                }
                ExprKind::Opaque { names: inner, .. } => {
                    names.extend(inner.iter().map(String::as_str));
                }
                _ => {}
            }
        }
        for stmt in &self.stmts {
            if let StmtKind::Opaque { names: inner, .. } = &stmt.kind {
                names.extend(inner.iter().map(String::as_str));
            }
        }
        names
    }

    /// All lambdas.
    pub fn lambdas(&self) -> impl Iterator<Item = &Lambda> {
        self.exprs.iter().filter_map(|expr| match &expr.kind {
            ExprKind::Lambda(lambda) => Some(lambda),
            _ => None,
        })
    }

    /// Whether something stands in a block of `try`.
    pub fn has_tries(&self) -> bool {
        let mut stmts = self.stmts.iter();
        stmts.any(|stmt| matches!(stmt.kind, StmtKind::Try { .. }))
    }

    /// Number of expressions and statements.
    pub fn len(&self) -> usize {
        self.exprs.len() + self.stmts.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same syntax with each node at one position; `None` if it is more than expressions.
    pub(super) fn moved_to(&self, span: Span) -> Option<Ast> {
        let is_plain = |stmt: &Stmt| {
            matches!(
                stmt.kind,
                StmtKind::Block(_) | StmtKind::Expr(_) | StmtKind::Empty
            )
        };
        let declares = |expr: &Expr| matches!(expr.kind, ExprKind::Lambda(_));
        let has_params = |function: &Function| !function.params.is_empty();
        if !self.stmts.iter().all(is_plain)
            || self.exprs.iter().any(declares)
            || self.functions.iter().any(has_params)
        {
            return None;
        }
        let mut moved = self.clone();
        let positions = moved.exprs.iter_mut().map(|expr| &mut expr.span);
        let positions = positions.chain(moved.stmts.iter_mut().map(|stmt| &mut stmt.span));
        for position in positions.chain(moved.functions.iter_mut().map(|f| &mut f.span)) {
            *position = span;
        }
        Some(moved)
    }

    pub(super) fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub(super) fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.stmts.push(Stmt { kind, span });
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// The expression without parentheses around it.
    pub fn skip_parens(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self.expr(id).kind {
            id = inner;
        }
        id
    }

    /// The variable that an assignment to an expression changes, or a part of it, and whether it may
    /// change what a pointer leads to.
    pub fn changed_by_assigning(&self, mut id: ExprId) -> (Option<&str>, bool) {
        let mut indirect = false;
        loop {
            id = match &self.expr(id).kind {
                ExprKind::Name(name) => return (Some(name), indirect),
                ExprKind::Paren(inner) | ExprKind::Cast(_, inner) => *inner,
                ExprKind::Index(base, _) | ExprKind::Deref(base) => {
                    indirect = true;
                    *base
                }
                ExprKind::Member { base, arrow, .. } => {
                    indirect |= arrow;
                    *base
                }
                ExprKind::Binary(_, left, _) => *left,
                _ => return (None, true),
            };
        }
    }

    /// Direct subexpressions, in order of the text.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        match &self.expr(id).kind {
            ExprKind::Call { callee, args } => std::iter::once(*callee)
                .chain(args.iter().copied())
                .collect(),
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::SizeofExpr(a)
            | ExprKind::Member { base: a, .. }
            | ExprKind::Deref(a)
            | ExprKind::Expansion { whole: a, .. }
            | ExprKind::AddressOf(a)
            | ExprKind::Paren(a)
            | ExprKind::Step { target: a, .. } => vec![*a],
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Index(a, b) => vec![*a, *b],
            ExprKind::Conditional(a, b, c) => vec![*a, *b, *c],
            ExprKind::InitList(items) => items.iter().map(|(_, e)| *e).collect(),
            ExprKind::Construct(_, args) | ExprKind::Juxtaposed(args) => args.clone(),
            ExprKind::New { count, args, .. } => count.iter().chain(args).copied().collect(),
            ExprKind::Opaque { inner, .. } => inner.clone(),
            ExprKind::Lambda(lambda) => lambda.captures.iter().filter_map(|c| c.init).collect(),
            _ => Vec::new(),
        }
    }

    /// Adds the statements and expressions that a statement is made of.
    pub fn parts(&self, id: StmtId, stmts: &mut Vec<StmtId>, exprs: &mut Vec<ExprId>) {
        match &self.stmt(id).kind {
            StmtKind::Expr(value) => exprs.push(*value),
            StmtKind::Declare(variables) => {
                for variable in variables {
                    exprs.extend(variable.init);
                    exprs.extend(variable.ty.dims.iter().flatten());
                }
            }
            StmtKind::Block(inner) => stmts.extend(inner),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
            } => {
                exprs.push(*condition);
                stmts.extend(init.iter().chain([then]).chain(otherwise));
            }
            StmtKind::Loop(shape) => {
                exprs.extend(shape.condition.iter().chain(&shape.step));
                stmts.extend(shape.init.iter().chain([&shape.body]));
            }
            StmtKind::RangeFor { range, body, .. } => {
                exprs.push(*range);
                stmts.push(*body);
            }
            StmtKind::Switch { value, body } => {
                exprs.push(*value);
                stmts.push(*body);
            }
            StmtKind::Case(value) | StmtKind::Return(value) | StmtKind::Throw(value) => {
                exprs.extend(value);
            }
            StmtKind::Try { body, handlers } => {
                stmts.push(*body);
                stmts.extend(handlers.iter().map(|handler| handler.body));
            }
            StmtKind::Opaque { inner, .. } => exprs.extend(inner),
            StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Empty => {}
        }
    }
}
