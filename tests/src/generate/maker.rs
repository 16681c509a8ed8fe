//! What is known while a kernel is made.

use crate::random::Random;

use super::choices::{Focus, Layout, Shared, State};
use super::shape::Shape;

/// Names that may be used.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// `uint`s that may be assigned and may differ between work-items.
    pub varying: Vec<String>,
    /// Such that may only be read.
    pub readable: Vec<String>,
    /// `uint`s that all work-items of a group agree on.
    pub uniform: Vec<String>,
    /// Such that may only be read.
    pub uniform_readable: Vec<String>,
    /// `float`s that hold small integers.
    pub floats: Vec<String>,
    /// Pointers to private `uint`s.
    pub pointers: Vec<String>,
    /// Private arrays of four `uint`s.
    pub arrays: Vec<String>,
    /// The body of a helper, which sees only its parameters.
    pub in_function: bool,
    /// The helper gives a value.
    pub gives: bool,
}

/// Where a statement stands.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// All work-items of a group come here together: barriers are allowed.
    pub uniform: bool,
    /// How deep.
    pub depth: usize,
    /// `break` is allowed in these states.
    pub may_break: Option<Vec<State>>,
    /// `continue` is.
    pub may_continue: Option<Vec<State>>,
    /// No barrier follows: a work-item may return alone.
    pub last: bool,
}

impl Context {
    /// A body whose work-items come here as they like.
    pub fn divergent(&self) -> Self {
        Context {
            uniform: false,
            depth: self.depth + 1,
            may_break: None,
            may_continue: None,
            last: self.last,
        }
    }

    /// A body that the whole group enters.
    pub fn deeper(&self) -> Self {
        Context {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

/// A kernel in the making.
#[derive(Debug)]
pub struct Maker {
    /// Decides what the kernel means.
    pub s: Random,
    /// Decides how it is spelled.
    pub v: Random,
    /// What it has much of.
    pub focus: Focus,
    /// Its NDRange.
    pub shape: Shape,
    /// The text so far.
    pub out: String,
    /// Functions before it.
    pub functions: String,
    /// Helpers without barriers, of two values each.
    pub helpers: Vec<String>,
    /// Arrays of the group.
    pub shared: Vec<Shared>,
    /// What may be done with each.
    pub state: Vec<State>,
    /// Names.
    pub scope: Scope,
    /// Conditions that are uniform may look as if they were not.
    pub hidden_uniformity: bool,
    /// A second pointer, `other`, to outputs.
    pub has_other: bool,
    /// How copies lie in the buffer `back`, which only copies write, if it is there.
    pub back: Option<Layout>,
    /// The copies started last have an event each.
    pub pair_of_events: bool,
    /// The kernel's number.
    pub number: usize,
    /// Names made so far.
    pub fresh: usize,
    /// Barriers written so far.
    pub barriers: usize,
    /// A `break` or `continue` was written.
    pub escaped: bool,
    /// Statements that may still be written.
    pub budget: usize,
}

impl Maker {
    /// Writes a line.
    pub fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A new name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// Some statements, and a barrier if the arrays are not in the states that follow.
    pub fn block(&mut self, context: &Context, count: usize, target: Option<&[State]>) {
        let scope = self.scope.clone();
        for _ in 0..count {
            self.statement(context);
        }
        if let Some(target) = target
            && self.state != target
        {
            self.barrier_to(target);
        }
        self.scope = scope;
    }

    /// Statements without a meaning, in a branch that is never taken.
    pub fn dead_code(&mut self, context: &Context) {
        // Whatever is written here leaves no trace in what follows.
        let (meaning, spelling) = (self.v.bits(), self.v.bits());
        let s = std::mem::replace(&mut self.s, Random::new(meaning));
        let v = std::mem::replace(&mut self.v, Random::new(spelling));
        let (budget, escaped, state) = (self.budget, self.escaped, self.state.clone());
        let condition = self
            .s
            .pick(&["n > 1000u", "n > 4000000000u", "m < -5", "0"]);
        let condition = if self.scope.in_function {
            "n > 1000u"
        } else {
            condition
        };
        self.line(&format!("if ({condition}) {{"));
        let scope = self.scope.clone();
        let inner = Context {
            depth: 3,
            may_break: None,
            may_continue: None,
            ..context.clone()
        };
        let barriers = self.barriers;
        if context.uniform && self.s.chance(30) {
            self.barrier_to(&state);
        } else {
            let text = self.plain(&Context {
                uniform: false,
                ..inner
            });
            self.line(&text);
        }
        self.barriers = barriers;
        self.scope = scope;
        self.line("}");
        (self.budget, self.escaped, self.state) = (budget, escaped, state);
        (self.s, self.v) = (s, v);
    }
}
