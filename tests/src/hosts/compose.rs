//! Random scenes. Whatever comes out is legal: what a rehearsal does not take is not done.

use crate::random::Random;

use super::kernels::{ELEMENTS, MOST_ITEMS, MOST_LOCAL, MOST_OFFSET, Param, Shapes};
use super::scene::{Flags, Mistake, Options, Rehearsal, Scene, Shape, Stmt, Value, Way};
use super::texts::{self, Constants};

/// How often something legal is looked for.
const TRIES: usize = 30;

/// A random scene for a run with so many words on the command line.
pub fn scene(seed: u64, argc: usize) -> Scene {
    let mut composer = Composer {
        r: Random::new(seed),
        scene: Scene::default(),
        argc,
        loops: 0,
    };
    composer.beginning();
    for _ in 0..2 + composer.r.below(5) {
        composer.step();
    }
    for b in 0..composer.scene.buffers {
        composer.offer(vec![Stmt::Show { b }]);
    }
    // Two buffers over one piece of the host's memory would be another matter.
    let is_of_host = |statement: &Stmt| {
        matches!(
            statement,
            Stmt::Create {
                flags: Flags::UseHostPtr,
                ..
            }
        )
    };
    composer.scene.is_repeated =
        composer.r.chance(8) && !composer.scene.body.iter().any(is_of_host);
    composer.scene
}

/// How often programs are made in each way.
const WAYS: [Way; 12] = {
    let mut ways = [Way::Built; 12];
    ways[0] = Way::Linked;
    ways[1] = Way::Kept;
    ways
};

struct Composer {
    r: Random,
    scene: Scene,
    argc: usize,
    loops: usize,
}

impl Composer {
    /// Whether statements are legal after those that are there; if so they are appended.
    fn offer(&mut self, statements: Vec<Stmt>) -> bool {
        let mut rehearsal = Rehearsal::new(&self.scene, self.argc);
        let legal = rehearsal.all(&self.scene.body) && rehearsal.all(&statements);
        if legal {
            self.scene.body.extend(statements);
        }
        legal
    }

    fn beginning(&mut self) {
        let texts = 1 + usize::from(self.r.chance(20));
        self.scene.texts = (0..texts).map(|_| texts::text(&mut self.r)).collect();
        let programs = 1 + self.r.below(2);
        for p in 0..programs {
            let text = if p < texts { p } else { self.r.below(texts) };
            self.scene.programs.push(text);
            let built_of = (0..p).find(|&other| self.scene.programs[other] == text);
            let saved = built_of.filter(|_| self.r.chance(35));
            if let Some(from) = saved {
                self.offer(vec![Stmt::Saved { p, from }]);
                continue;
            }
            let options = self.options(text);
            let mut way = self.r.copy(&WAYS);
            if options.header.is_some() {
                way = Way::Built;
            }
            self.offer(vec![Stmt::Build {
                p,
                text,
                options,
                way,
            }]);
        }
        for _ in 0..2 + self.r.below(3) {
            self.buffer();
        }
        for _ in 0..1 + self.r.below(3) {
            let p = self.r.below(programs);
            let kernels = self.scene.texts[self.scene.programs[p]].kernels.len();
            let number = self.r.below(kernels);
            self.scene.kernels.push((p, number));
            let k = self.scene.kernels.len() - 1;
            self.offer(vec![Stmt::Kernel { k }]);
        }
    }

    fn buffer(&mut self) {
        let b = self.scene.buffers;
        self.scene.buffers += 1;
        if b > 0 && self.r.chance(25) {
            let of = self.r.below(b);
            let origin = self.r.copy(&[0, 64, 512, 1024]);
            let part = Stmt::Part {
                b,
                of,
                origin,
                words: ELEMENTS,
            };
            let alias = Stmt::Alias { b, of };
            let made = match self.r.chance(70) {
                true => self.offer(vec![part]),
                false => self.offer(vec![alias]),
            };
            if made {
                return;
            }
        }
        let flags = match self.r.below(20) {
            0 | 1 => Flags::UseHostPtr,
            2..=5 => Flags::ReadOnly,
            6 => Flags::Svm,
            _ => Flags::ReadWrite,
        };
        let words = ELEMENTS * self.r.copy(&[1, 1, 2]);
        let seed = self.r.below(200) as u8;
        self.offer(vec![Stmt::Create {
            b,
            words,
            flags,
            seed,
        }]);
    }

    fn options(&mut self, text: usize) -> Options {
        let mut options = Options::default();
        let constants = self.scene.texts[text].constants;
        let given = match constants {
            Constants::Required => 100,
            Constants::Defaulted => 60,
            _ => 0,
        };
        for name in texts::MACROS {
            if self.r.chance(given) {
                let value = self.r.copy(&[1, 2, 3, 7]);
                options.defines.push((name.to_string(), value));
            }
        }
        if constants == Constants::Header {
            let folder = match self.r.chance(8) {
                true => "inc_c",
                false => self.r.pick(&["inc_a", "inc_b"]),
            };
            options.folder = Some(folder.to_string());
            // It is not there before.
            if folder == "inc_c" || self.r.chance(15) {
                options.header = Some((self.r.below(9) as u8, self.r.below(9) as u8));
            }
        }
        for other in ["-w", "-cl-std=CL1.2", "-cl-mad-enable", "-DUNUSED=1"] {
            if self.r.chance(10) {
                options.others.push(other.to_string());
            }
        }
        options
    }

    fn step(&mut self) {
        for _ in 0..TRIES {
            let (kernels, buffers) = (self.scene.kernels.len(), self.scene.buffers);
            let statements = match self.r.below(27) {
                20 | 21 => self.threads(),
                22 => vec![Stmt::Ask {
                    k: self.r.below(self.scene.kernels.len()),
                }],
                23 => self.wrong(),
                24..=26 => self.chain(),
                0 => self.rebuilt(),
                1 => vec![self.write()],
                2 => self.copy(),
                3 => self.shown(),
                4..=6 => self.repeated(),
                7 | 8 => self.decided(),
                9..=12 => vec![Stmt::Call {
                    body: self.launches(),
                }],
                _ => self.launches(),
            };
            if self.offer(statements) {
                return;
            }
            // What was made for statements that are not there would be released without ever having been.
            self.scene.kernels.truncate(kernels);
            self.scene.buffers = buffers;
        }
    }

    /// A kernel, its arguments, and a launch or more.
    fn launches(&mut self) -> Vec<Stmt> {
        let k = self.r.below(self.scene.kernels.len());
        let mut out = vec![self.arguments(k), self.launch(k)];
        for _ in 0..self.r.below(3) {
            let Stmt::Set { args, .. } = self.arguments(k) else {
                continue;
            };
            let kept = args.into_iter().filter(|_| self.r.chance(30)).collect();
            out.push(Stmt::Set { k, args: kept });
            out.push(self.launch(k));
        }
        out
    }

    /// One after the other, whatever the queue does.
    fn chain(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            match self.r.chance(25) {
                true => body.extend(self.copy()),
                false => body.extend(self.launches()),
            }
        }
        let is_held = self.r.chance(30);
        vec![Stmt::Chain { body, is_held }]
    }

    fn arguments(&mut self, k: usize) -> Stmt {
        let params = self.scene.kernel(k).params.clone();
        let mut args: Vec<(usize, Value)> = Vec::new();
        for (at, param) in params.into_iter().enumerate() {
            let value = match param {
                Param::Buffer(_) => Value::Buffer(self.r.below(self.scene.buffers)),
                Param::Local => Value::Local(4 * self.r.copy(&[16, 64, 64, 128])),
                _ if self.loops > 0 && self.r.chance(40) => Value::Turn,
                Param::Count => Value::Number(self.r.below(9) as u8),
                Param::Scalar(_) => Value::Number(self.r.copy(&[0, 1, 2, 9, 16, 40, 64, 100])),
            };
            args.push((at, value));
        }
        if self.r.chance(25) {
            args.reverse();
        }
        Stmt::Set { k, args }
    }

    fn launch(&mut self, k: usize) -> Stmt {
        let shapes = self.scene.kernel(k).shapes;
        if shapes == Shapes::Single && self.r.chance(50) {
            return Stmt::Task { k };
        }
        let shape = self.shape(shapes);
        Stmt::Launch { k, shape }
    }

    fn shape(&mut self, shapes: Shapes) -> Shape {
        let r = &mut self.r;
        let dims = match shapes {
            Shapes::Line => 1,
            _ => r.copy(&[1, 1, 1, 2, 2, 3]),
        };
        let sizes = |r: &mut Random, most: usize| {
            let mut sizes = Vec::new();
            let mut left = most;
            for _ in 0..dims {
                let fitting: Vec<usize> = [1, 2, 3, 4, 5, 8, 16, 32, 64]
                    .into_iter()
                    .filter(|n| *n <= left)
                    .collect();
                let size = match r.chance(50) {
                    true => r.copy(&fitting),
                    false => *fitting.last().expect("there is 1").min(&16),
                };
                left /= size;
                sizes.push(size);
            }
            sizes
        };
        if shapes == Shapes::Single {
            return Shape {
                global: vec![1; dims],
                local: r.chance(50).then(|| vec![1; dims]),
                offset: None,
            };
        }
        let local = sizes(r, MOST_LOCAL);
        let groups = sizes(r, MOST_ITEMS / local.iter().product::<usize>());
        let global = local.iter().zip(&groups).map(|(l, g)| l * g).collect();
        let offset = r.chance(15).then(|| {
            let far = (0..dims).map(|_| r.below(MOST_OFFSET));
            far.collect()
        });
        Shape {
            global,
            local: (shapes == Shapes::Grouped || r.chance(70)).then_some(local),
            offset,
        }
    }

    fn write(&mut self) -> Stmt {
        let seed = self.r.below(200) as u8;
        Stmt::Write {
            b: self.r.below(self.scene.buffers),
            seed,
        }
    }

    fn copy(&mut self) -> Vec<Stmt> {
        vec![Stmt::Copy {
            from: self.r.below(self.scene.buffers),
            to: self.r.below(self.scene.buffers),
        }]
    }

    fn shown(&mut self) -> Vec<Stmt> {
        vec![Stmt::Show {
            b: self.r.below(self.scene.buffers),
        }]
    }

    fn repeated(&mut self) -> Vec<Stmt> {
        self.loops += 1;
        let mut body = self.launches();
        if self.r.chance(40) {
            let (a, b) = (
                self.r.below(self.scene.buffers),
                self.r.below(self.scene.buffers),
            );
            body.push(Stmt::Swap { a, b });
        }
        if self.r.chance(30) {
            body.extend(self.decided());
        }
        if self.r.chance(20) {
            body = vec![Stmt::Call { body }];
        }
        self.loops -= 1;
        vec![Stmt::Loop {
            times: 1 + self.r.below(4),
            body,
        }]
    }

    fn decided(&mut self) -> Vec<Stmt> {
        let more_than = 1 + self.r.below(2);
        let then = self.launches();
        let otherwise = match self.r.chance(50) {
            true => self.launches(),
            false => Vec::new(),
        };
        vec![Stmt::If {
            more_than,
            then,
            otherwise,
        }]
    }

    /// Threads with a kernel and buffers each.
    fn threads(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut bodies = Vec::new();
        for _ in 0..2 + self.r.below(2) {
            let p = self.r.below(self.scene.programs.len());
            let kernels = self.scene.texts[self.scene.programs[p]].kernels.len();
            let number = self.r.below(kernels);
            self.scene.kernels.push((p, number));
            let k = self.scene.kernels.len() - 1;
            out.push(Stmt::Kernel { k });
            let first = self.scene.buffers;
            for _ in 0..1 + self.r.below(3) {
                out.push(Stmt::Create {
                    b: self.scene.buffers,
                    words: ELEMENTS,
                    flags: Flags::ReadWrite,
                    seed: self.r.below(200) as u8,
                });
                self.scene.buffers += 1;
            }
            let mut body = Vec::new();
            for _ in 0..1 + self.r.below(3) {
                let Stmt::Set { mut args, .. } = self.arguments(k) else {
                    continue;
                };
                for (_, value) in &mut args {
                    if let Value::Buffer(b) = value {
                        *b = first + *b % (self.scene.buffers - first);
                    }
                }
                body.push(Stmt::Set { k, args });
                body.push(self.launch(k));
            }
            bodies.push(body);
        }
        out.push(Stmt::Threads { bodies });
        out
    }

    fn wrong(&mut self) -> Vec<Stmt> {
        let call = self.r.copy(&[
            Mistake::Name,
            Mistake::Index,
            Mistake::Dimensions,
            Mistake::Remainder,
            Mistake::NoArguments,
        ]);
        let k = self.r.below(self.scene.kernels.len());
        // A kernel that asks for local sizes could be launched with groups that differ, where that is allowed.
        let mut out = vec![self.arguments(k), self.launch(k)];
        out.push(Stmt::Wrong { k, call });
        out
    }

    fn rebuilt(&mut self) -> Vec<Stmt> {
        let p = self.r.below(self.scene.programs.len());
        let text = self.scene.programs[p];
        let of = |kernels: &[(usize, usize)]| {
            let numbered = kernels.iter().enumerate();
            let of = numbered.filter(|(_, (program, _))| *program == p);
            of.map(|(k, _)| k).collect::<Vec<_>>()
        };
        let kernels = of(&self.scene.kernels);
        let mut out: Vec<Stmt> = kernels.iter().map(|&k| Stmt::Release { k }).collect();
        let options = self.options(text);
        out.push(Stmt::Rebuild { p, options });
        out.extend(kernels.iter().map(|&k| Stmt::Kernel { k }));
        out
    }
}
