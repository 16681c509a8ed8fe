//! Expressions and their arena.

use super::arena::Id;
use super::module::{EnumId, FunctionId, RecordId, VarRef};
use super::types::{QualType, TypeId};
use crate::source::Span;

/// A handle to an [`Expr`] in [`Exprs`].
pub type ExprId = Id<Expr>;

/// Operators with one operand, without effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
    Deref,
    AddressOf,
}

/// `++` and `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IncDecOp {
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl BinaryOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Yields a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
        )
    }

    /// The same comparison with its sides exchanged.
    pub fn mirrored(self) -> BinaryOp {
        match self {
            BinaryOp::Lt => BinaryOp::Gt,
            BinaryOp::Le => BinaryOp::Ge,
            BinaryOp::Gt => BinaryOp::Lt,
            BinaryOp::Ge => BinaryOp::Le,
            other => other,
        }
    }

    /// The comparison that holds where this one does not; `None`: it is none.
    pub fn negated(self) -> Option<BinaryOp> {
        Some(match self {
            BinaryOp::Lt => BinaryOp::Ge,
            BinaryOp::Le => BinaryOp::Gt,
            BinaryOp::Gt => BinaryOp::Le,
            BinaryOp::Ge => BinaryOp::Lt,
            BinaryOp::Eq => BinaryOp::Ne,
            BinaryOp::Ne => BinaryOp::Eq,
            _ => return None,
        })
    }
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the module.
    Function(FunctionId),
    /// A function that OpenCL C or an extension declares, by name.
    Builtin(String),
}

/// The operand of `sizeof`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeOfArg {
    /// `sizeof(type)`
    Type(QualType),
    /// `sizeof expr`, which is not evaluated.
    Expr(ExprId),
}

/// The value that a variable starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// A single expression.
    Expr(ExprId),
    /// `{ .. }`
    List(Vec<InitItem>),
}

/// An element of an initialiser list.
#[derive(Clone, Debug, PartialEq)]
pub struct InitItem {
    /// Such as `.x[3]`; empty for the next element in order.
    pub path: Vec<InitStep>,
    /// Its value.
    pub value: Init,
}

/// A step of a designator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitStep {
    /// `.name`
    Field(String),
    /// `[index]`
    Index(u64),
}

/// An expression. See the contract at the head of [`crate::ir`].
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer or character literal: its bits, and the text of the source if it is from there.
    Int {
        /// The value, sign-extended to 64 bits if its type is signed.
        value: i128,
        /// As written.
        spelling: Option<String>,
    },
    /// A floating-point literal.
    Float {
        /// The value.
        value: f64,
        /// As written.
        spelling: Option<String>,
    },
    /// A string literal as written, with its quotes; adjacent ones joined by blanks.
    Str(String),
    /// A variable.
    Var(VarRef),
    /// A constant of an enumeration, by index.
    EnumConst(EnumId, u32),
    /// A constant that OpenCL C defines, such as `CLK_LOCAL_MEM_FENCE` or `M_PI_F`.
    BuiltinConst(String),
    /// An operator with one operand.
    Unary {
        /// Which.
        op: UnaryOp,
        /// The operand.
        operand: ExprId,
    },
    /// `++` or `--`.
    IncDec {
        /// Which.
        op: IncDecOp,
        /// An lvalue.
        operand: ExprId,
    },
    /// An operator with two operands.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `=` or `op=`.
    Assign {
        /// `None` for `=`.
        op: Option<BinaryOp>,
        /// An lvalue.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
    },
    /// `?:`; on vectors it selects element by element.
    Cond {
        /// Condition.
        cond: ExprId,
        /// Value if it is not 0.
        then: ExprId,
        /// Value if it is 0.
        otherwise: ExprId,
    },
    /// `base[index]`
    Index {
        /// A pointer or array.
        base: ExprId,
        /// An integer.
        index: ExprId,
    },
    /// `base.field` or `base->field`.
    Member {
        /// A record, or a pointer to one if `arrow`.
        base: ExprId,
        /// The record.
        record: RecordId,
        /// Index of the field.
        field: u32,
        /// `->`
        arrow: bool,
    },
    /// Components of a vector: `.x`, `.wzyx`, `.s03`, `.lo`, `.even`, ..
    Swizzle {
        /// A vector.
        base: ExprId,
        /// Component indices, in order; 3-component `.hi` and `.odd` name an undefined fourth.
        components: Vec<u8>,
        /// As written, without the dot.
        spelling: String,
    },
    /// `(type)operand`
    Cast {
        /// To what; also the expression's type.
        ty: QualType,
        /// From what.
        operand: ExprId,
    },
    /// `(float4)(a, b.xy, c)`; one scalar alone fills all components.
    VectorLit {
        /// Scalars and vectors.
        elements: Vec<ExprId>,
    },
    /// `(type){ .. }`
    Compound {
        /// The type as written.
        ty: QualType,
        /// Its elements.
        items: Vec<InitItem>,
    },
    /// `sizeof`
    SizeOf(SizeOfArg),
    /// A call.
    Call {
        /// Of what.
        callee: Callee,
        /// Arguments.
        args: Vec<ExprId>,
    },
    /// `lhs, rhs`
    Comma {
        /// Evaluated first, for its effects.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
    },
}

/// The expressions of a function (or of file scope), with types and spans beside them.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    types: Vec<TypeId>,
    spans: Vec<Option<Span>>,
}

impl Exprs {
    /// Adds an expression of a given type.
    pub fn add(&mut self, expr: Expr, ty: TypeId, span: Option<Span>) -> ExprId {
        self.nodes.push(expr);
        self.types.push(ty);
        self.spans.push(span);
        Id::from_index(self.nodes.len() - 1)
    }

    /// The expression.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// Its type.
    pub fn ty(&self, id: ExprId) -> TypeId {
        self.types[id.index()]
    }

    /// Where it stands in the source.
    pub fn span(&self, id: ExprId) -> Option<Span> {
        self.spans[id.index()]
    }

    /// Overwrites an expression in place; its span stays.
    pub fn replace(&mut self, id: ExprId, expr: Expr, ty: TypeId) {
        self.nodes[id.index()] = expr;
        self.types[id.index()] = ty;
    }

    /// Overwrites an expression in place by another one, which is no use after that.
    pub fn replace_by(&mut self, id: ExprId, other: ExprId) {
        self.replace(id, self.get(other).clone(), self.ty(other));
    }

    /// The handles of all expressions, dead ones too, in order of creation.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(Id::from_index)
    }

    /// The names of OpenCL's functions that are called, also in dead expressions.
    pub(super) fn called_builtins(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match node {
            Expr::Call {
                callee: Callee::Builtin(name),
                ..
            } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Number of expressions, dead ones too.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
