//! What a part of a random host does: its statements, and whether they are legal.

use super::kernels::{Access, ELEMENTS, MOST_LOCAL, Param, Shapes};
use super::texts::Text;

/// A buffer's variable.
pub type Buffer = usize;
/// A program's variable.
pub type Program = usize;
/// A kernel's variable.
pub type Kernel = usize;

/// How a buffer is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// Kernels read and write it.
    ReadWrite,
    /// They may only read it.
    ReadOnly,
    /// It is memory of the host.
    UseHostPtr,
    /// It is no buffer: shared virtual memory.
    Svm,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One to three sizes.
    pub global: Vec<usize>,
    /// As many; `None`: the implementation chooses.
    pub local: Option<Vec<usize>>,
    /// As many.
    pub offset: Option<Vec<usize>>,
}

impl Shape {
    /// Work-items.
    pub fn items(&self) -> usize {
        self.global.iter().product()
    }

    /// Work-items of a group.
    pub fn group(&self) -> Option<usize> {
        self.local.as_ref().map(|sizes| sizes.iter().product())
    }
}

/// What an argument is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A buffer.
    Buffer(Buffer),
    /// A number.
    Number(u8),
    /// How often the innermost loop has run.
    Turn,
    /// Bytes of local memory.
    Local(usize),
}

/// Options of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Values of the macros.
    pub defines: Vec<(String, u8)>,
    /// The folder of headers.
    pub folder: Option<String>,
    /// The host writes the header first, with these constants.
    pub header: Option<(u8, u8)>,
    /// Others.
    pub others: Vec<String>,
}

/// How a program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `clBuildProgram`.
    Built,
    /// By `clCompileProgram` and `clLinkProgram`.
    Linked,
    /// From the binary that an earlier run has kept in a file, or else by `clBuildProgram`.
    Kept,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Creates a buffer with contents.
    Create {
        /// The variable.
        b: Buffer,
        /// Its size.
        words: usize,
        /// How.
        flags: Flags,
        /// Chooses the contents.
        seed: u8,
    },
    /// Creates a part of a buffer.
    Part {
        /// The variable.
        b: Buffer,
        /// Of which buffer.
        of: Buffer,
        /// Where it starts, in words.
        origin: usize,
        /// Its size.
        words: usize,
    },
    /// Another variable for the same buffer.
    Alias {
        /// The variable.
        b: Buffer,
        /// Which buffer.
        of: Buffer,
    },
    /// Two variables change their buffers.
    Swap {
        /// One.
        a: Buffer,
        /// The other.
        b: Buffer,
    },
    /// Creates a program and builds it.
    Build {
        /// The variable.
        p: Program,
        /// Of which text.
        text: usize,
        /// With which options.
        options: Options,
        /// In which way.
        way: Way,
    },
    /// Builds it again; it has no kernels then.
    Rebuild {
        /// The program.
        p: Program,
        /// With which options.
        options: Options,
    },
    /// Creates a kernel.
    Kernel {
        /// The variable.
        k: Kernel,
    },
    /// Gives a kernel back.
    Release {
        /// The variable.
        k: Kernel,
    },
    /// Sets arguments, in this order.
    Set {
        /// The kernel.
        k: Kernel,
        /// Positions and values.
        args: Vec<(usize, Value)>,
    },
    /// Launches a kernel.
    Launch {
        /// The kernel.
        k: Kernel,
        /// How.
        shape: Shape,
    },
    /// Launches a kernel with `clEnqueueTask`.
    Task {
        /// The kernel.
        k: Kernel,
    },
    /// Writes a buffer from the host.
    Write {
        /// The buffer.
        b: Buffer,
        /// Chooses the contents.
        seed: u8,
    },
    /// Copies the first words.
    Copy {
        /// From where.
        from: Buffer,
        /// To where.
        to: Buffer,
    },
    /// Reads a buffer and prints it.
    Show {
        /// The buffer.
        b: Buffer,
    },
    /// So many times.
    Loop {
        /// How many.
        times: usize,
        /// What.
        body: Vec<Stmt>,
    },
    /// Launches and copies in a queue without order, each waiting for the one before, with what the last calls back.
    Chain {
        /// What.
        body: Vec<Stmt>,
        /// Nothing starts before all is in the queue.
        is_held: bool,
    },
    /// Depending on the number of words on the command line.
    If {
        /// More words than this, the program's name counted.
        more_than: usize,
        /// If so.
        then: Vec<Stmt>,
        /// If not.
        otherwise: Vec<Stmt>,
    },
    /// In a function of its own.
    Call {
        /// What.
        body: Vec<Stmt>,
    },
    /// At the same time, in threads.
    Threads {
        /// What each does.
        bodies: Vec<Vec<Stmt>>,
    },
    /// Creates a program from the binary of another one, by way of a file or not, and builds it.
    Saved {
        /// The variable.
        p: Program,
        /// Of which program.
        from: Program,
    },
    /// Prints what a kernel and its program say of themselves.
    Ask {
        /// The kernel.
        k: Kernel,
    },
    /// A call that OpenCL refuses: the error code is printed.
    Wrong {
        /// With which kernel.
        k: Kernel,
        /// Which call.
        call: Mistake,
    },
}

/// A call that OpenCL refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A kernel that the program lacks.
    Name,
    /// An argument that the kernel lacks.
    Index,
    /// A launch of no dimension.
    Dimensions,
    /// A local size that does not divide the global size.
    Remainder,
    /// A kernel without arguments is launched.
    NoArguments,
}

/// A part of a host that needs no other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Its kernel files.
    pub texts: Vec<Text>,
    /// Of each program: its text.
    pub programs: Vec<usize>,
    /// Of each kernel variable: program, and number in the text.
    pub kernels: Vec<(Program, usize)>,
    /// How many buffer variables.
    pub buffers: usize,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Once more, in another context.
    pub is_repeated: bool,
}

impl Scene {
    /// The kernel of a variable.
    pub fn kernel(&self, k: Kernel) -> &super::kernels::Kernel {
        let (program, number) = self.kernels[k];
        &self.texts[self.programs[program]].kernels[number]
    }
}

/// Memory that a buffer's variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory {
    root: usize,
    origin: usize,
    words: usize,
    flags: Flags,
    is_part: bool,
}

impl Memory {
    fn is_buffer(&self) -> bool {
        self.flags != Flags::Svm
    }

    fn overlaps(&self, other: &Memory) -> bool {
        self.root == other.root
            && self.origin < other.origin + other.words
            && other.origin < self.origin + self.words
    }
}

/// An execution in which no kernel computes anything.
#[derive(Clone, Debug)]
pub struct Rehearsal<'s> {
    scene: &'s Scene,
    argc: usize,
    roots: usize,
    memory: Vec<Option<Memory>>,
    built: Vec<bool>,
    /// Made by `clLinkProgram`, which may not be built again, or from a binary, where that ends the process on PoCL.
    is_final: Vec<bool>,
    kernels: Vec<Option<Vec<Option<Argument>>>>,
}

/// What an argument is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    Memory(Memory),
    Number,
    Local(usize),
}

impl<'s> Rehearsal<'s> {
    /// The beginning.
    pub fn new(scene: &'s Scene, argc: usize) -> Self {
        Rehearsal {
            scene,
            argc,
            roots: 0,
            memory: vec![None; scene.buffers],
            built: vec![false; scene.programs.len()],
            is_final: vec![false; scene.programs.len()],
            kernels: vec![None; scene.kernels.len()],
        }
    }

    /// Whether statements are legal here; what they do is done.
    pub fn all(&mut self, statements: &[Stmt]) -> bool {
        statements.iter().all(|statement| self.one(statement))
    }

    fn one(&mut self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Create {
                b, words, flags, ..
            } => self.create(*b, *words, *flags),
            Stmt::Part {
                b,
                of,
                origin,
                words,
            } => self.part(*b, *of, *origin, *words),
            Stmt::Alias { b, of } => {
                self.memory[*b] = self.memory[*of];
                self.is_buffer(*b)
            }
            Stmt::Swap { a, b } => {
                self.memory.swap(*a, *b);
                self.is_buffer(*a) && self.is_buffer(*b)
            }
            Stmt::Build { p, way, .. } => {
                self.is_final[*p] = *way != Way::Built;
                !std::mem::replace(&mut self.built[*p], true)
            }
            Stmt::Rebuild { p, .. } => {
                self.built[*p] && !self.is_final[*p] && self.has_no_kernels(*p)
            }
            Stmt::Kernel { k } => self.new_kernel(*k),
            Stmt::Release { k } => self.kernels[*k].take().is_some(),
            Stmt::Set { k, args } => args.iter().all(|(at, value)| self.set(*k, *at, *value)),
            Stmt::Launch { k, shape } => self.launch(*k, shape),
            Stmt::Task { k } => self.launch(
                *k,
                &Shape {
                    global: vec![1],
                    local: Some(vec![1]),
                    offset: None,
                },
            ),
            Stmt::Write { b, .. } => self.is_buffer(*b),
            Stmt::Show { b } => self.memory[*b].is_some(),
            Stmt::Copy { from, to } => match (self.memory[*from], self.memory[*to]) {
                (Some(a), Some(b)) => {
                    let whole = !a.is_part && !b.is_part && a.is_buffer() && b.is_buffer();
                    whole && !a.overlaps(&b)
                }
                _ => false,
            },
            Stmt::Chain { body, .. } => {
                let fits = |statement: &Stmt| {
                    matches!(
                        statement,
                        Stmt::Set { .. }
                            | Stmt::Launch { .. }
                            | Stmt::Task { .. }
                            | Stmt::Copy { .. }
                    )
                };
                body.iter().all(fits) && self.all(body)
            }
            Stmt::Loop { times, body } => (0..*times).all(|_| self.all(body)),
            Stmt::If {
                more_than,
                then,
                otherwise,
            } => match self.argc > *more_than {
                true => self.all(then),
                false => self.all(otherwise),
            },
            Stmt::Call { body } => self.all(body),
            Stmt::Threads { bodies } => self.threads(bodies),
            Stmt::Saved { p, from } => {
                self.is_final[*p] = true;
                self.built[*from] && !std::mem::replace(&mut self.built[*p], true)
            }
            Stmt::Ask { k } | Stmt::Wrong { k, .. } => self.kernels[*k].is_some(),
        }
    }

    fn is_buffer(&self, b: Buffer) -> bool {
        self.memory[b].is_some_and(|memory| memory.is_buffer())
    }

    /// Whatever the order, the same must come out: threads share no kernel, and no memory.
    fn threads(&mut self, bodies: &[Vec<Stmt>]) -> bool {
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut memory: Vec<usize> = Vec::new();
        for body in bodies {
            if !self.all(body) {
                return false;
            }
            let mut own_kernels = Vec::new();
            let mut own_memory = Vec::new();
            for statement in body {
                match statement {
                    Stmt::Launch { k, .. } | Stmt::Task { k } => own_kernels.push(*k),
                    Stmt::Set { k, args } => {
                        own_kernels.push(*k);
                        let buffers = args.iter().filter_map(|(_, value)| match value {
                            Value::Buffer(b) => self.memory[*b],
                            _ => None,
                        });
                        own_memory.extend(buffers.map(|memory| memory.root));
                    }
                    _ => return false,
                }
            }
            let shares = own_kernels.iter().any(|k| kernels.contains(k))
                || own_memory.iter().any(|root| memory.contains(root));
            if shares {
                return false;
            }
            kernels.extend(own_kernels);
            memory.extend(own_memory);
        }
        true
    }

    fn create(&mut self, b: Buffer, words: usize, flags: Flags) -> bool {
        self.roots += 1;
        let new = Memory {
            root: self.roots,
            origin: 0,
            words,
            flags,
            is_part: false,
        };
        self.memory[b].replace(new).is_none() && words >= ELEMENTS
    }

    fn part(&mut self, b: Buffer, of: Buffer, origin: usize, words: usize) -> bool {
        let Some(whole) = self.memory[of] else {
            return false;
        };
        let new = Memory {
            origin,
            words,
            is_part: true,
            ..whole
        };
        let fits = origin.is_multiple_of(64) && origin + words <= whole.words && words >= ELEMENTS;
        self.memory[b].replace(new).is_none() && fits && !whole.is_part && whole.is_buffer()
    }

    fn has_no_kernels(&self, program: Program) -> bool {
        let mut of = self.scene.kernels.iter().zip(&self.kernels);
        of.all(|((p, _), made)| *p != program || made.is_none())
    }

    fn new_kernel(&mut self, k: Kernel) -> bool {
        let arguments = vec![None; self.scene.kernel(k).params.len()];
        self.built[self.scene.kernels[k].0] && self.kernels[k].replace(arguments).is_none()
    }

    fn set(&mut self, k: Kernel, at: usize, value: Value) -> bool {
        let param = self.scene.kernel(k).params[at];
        let argument = match (param, value) {
            (Param::Buffer(_), Value::Buffer(b)) => match self.memory[b] {
                Some(memory) => Argument::Memory(memory),
                None => return false,
            },
            (Param::Scalar(_), Value::Number(_) | Value::Turn) => Argument::Number,
            (Param::Count, Value::Number(number)) if number <= 8 => Argument::Number,
            (Param::Count, Value::Turn) => Argument::Number,
            (Param::Local, Value::Local(bytes)) => Argument::Local(bytes),
            _ => return false,
        };
        let Some(arguments) = &mut self.kernels[k] else {
            return false;
        };
        arguments[at] = Some(argument);
        true
    }

    fn launch(&self, k: Kernel, shape: &Shape) -> bool {
        let kernel = self.scene.kernel(k);
        let Some(arguments) = &self.kernels[k] else {
            return false;
        };
        let all: Option<Vec<Argument>> = arguments.iter().copied().collect();
        let Some(all) = all else { return false };
        let fits = match kernel.shapes {
            Shapes::Any => true,
            Shapes::Line => shape.global.len() == 1,
            Shapes::Grouped => shape.group().is_some_and(|items| items <= MOST_LOCAL),
            Shapes::Single => shape.items() == 1,
        };
        fits && local_memory_suffices(&all, shape) && no_races(&kernel.params, &all, shape)
    }
}

fn local_memory_suffices(arguments: &[Argument], shape: &Shape) -> bool {
    arguments.iter().all(|argument| match argument {
        Argument::Local(bytes) => shape.group().is_some_and(|items| items * 4 <= *bytes),
        _ => true,
    })
}

fn no_races(params: &[Param], arguments: &[Argument], shape: &Shape) -> bool {
    let buffers: Vec<(Access, Memory)> = params
        .iter()
        .zip(arguments)
        .filter_map(|pair| match pair {
            (Param::Buffer(access), Argument::Memory(memory)) => Some((*access, *memory)),
            _ => None,
        })
        .collect();
    let kept = buffers
        .iter()
        .all(|(access, memory)| !access.writes() || memory.flags != Flags::ReadOnly);
    let mut pairs = buffers
        .iter()
        .enumerate()
        .flat_map(|(at, a)| buffers[at + 1..].iter().map(move |b| (a, b)));
    kept && pairs.all(|((access_a, a), (access_b, b))| {
        let written = access_a.writes() || access_b.writes();
        let apart = !written || !a.overlaps(b);
        let own = access_a.is_own() && access_b.is_own() && a.origin == b.origin;
        apart || own || shape.items() == 1
    })
}
