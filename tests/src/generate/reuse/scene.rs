//! Places, and the memory that kernels have for them.

use std::collections::BTreeSet;

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

/// Elements of a place's own row of `mem`.
pub(super) const ROW: usize = 8;
/// Elements that counts are made in.
pub(super) const COUNTS: usize = 16;
/// What `far` is, where nothing may be read with it.
const FAR: i32 = 100_000_000;
/// Elements with which buffers are filled, again and again.
const PATTERN: usize = 256;

/// Types of elements.
const TYPES: [&str; 10] = [
    "int", "int", "uint", "float", "float", "short", "uchar", "long", "ushort", "char",
];
/// A function that reads.
const PEEK: &str = "TY peek_TY(__global const TY *a, int at)\n{\nreturn a[at];\n}\n";

/// What stands before kernels.
pub(super) fn functions() -> String {
    let types: BTreeSet<&str> = TYPES.into_iter().collect();
    types.into_iter().map(|ty| PEEK.replace("TY", ty)).collect()
}

/// An image, and what visits its places.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// A single work-item visits them, in nests; or each has a work-item.
    pub is_task: bool,
    /// Dimensions of the image.
    pub dims: usize,
    /// Places in each.
    pub size: [usize; 3],
    /// Elements of the images around all places.
    pub halo: usize,
    /// The type of elements.
    pub ty: &'static str,
    /// The type of counters and ids.
    pub id: &'static str,
    /// The length of rows is the parameter `w`.
    pub symbolic: bool,
    /// The NDRange has one dimension, and ids are divided by the length of a row.
    pub flat: bool,
    /// Work-items of a group.
    pub local: [usize; 3],
    /// Groups.
    pub groups: [usize; 3],
}

impl Scene {
    /// A small one.
    pub(super) fn random(random: &mut Random) -> Self {
        let is_task = random.chance(45);
        let dims = random.copy(&[1, 2, 2, 2, 2, 3]);
        let mut scene = Scene {
            is_task,
            dims,
            size: [1; 3],
            halo: random.copy(&[0, 0, 1, 1, 2]),
            ty: random.copy(&TYPES),
            id: random.copy(&["int", "int", "int", "int", "int", "uint", "size_t", "long"]),
            symbolic: random.chance(15),
            flat: !is_task && dims == 2 && random.chance(30),
            local: [1; 3],
            groups: [1; 3],
        };
        match is_task {
            true => scene.places(random),
            false => scene.work_items(random),
        }
        scene
    }

    fn places(&mut self, random: &mut Random) {
        for (dim, most) in [13, 6, 3].into_iter().enumerate().take(self.dims) {
            self.size[dim] = 3 + random.below(most);
        }
        if random.chance(40) {
            // As long as rows are that loops are cut into.
            self.size[0] = random.copy(&[16, 17, 20]);
            self.size[1] = self.size[1].min(4);
        }
    }

    fn work_items(&mut self, random: &mut Random) {
        let shapes: &[[usize; 3]] = match self.dims {
            1 => &[[8, 1, 1], [4, 1, 1], [16, 1, 1], [6, 1, 1]],
            2 => &[
                [4, 4, 1],
                [8, 2, 1],
                [4, 2, 1],
                [2, 4, 1],
                [5, 3, 1],
                [8, 1, 1],
            ],
            _ => &[[4, 2, 2], [4, 2, 1], [2, 2, 2]],
        };
        let shapes = match self.flat && random.chance(60) {
            true => &[[8, 2, 1], [16, 1, 1]],
            false => shapes,
        };
        self.local = random.copy(shapes);
        for (dim, most) in [4, 2, 2].into_iter().enumerate().take(self.dims) {
            self.groups[dim] = 1 + random.below(most);
        }
        // Some work-items have no place.
        let is_cut = random.chance(25);
        for dim in 0..self.dims {
            let all = self.local[dim] * self.groups[dim];
            let none = if is_cut { random.below(3.min(all)) } else { 0 };
            self.size[dim] = all - none;
        }
    }

    /// Whether some work-items have no place.
    pub(super) fn is_cut(&self) -> bool {
        let mut dims = 0..self.dims;
        dims.any(|dim| !self.is_task && self.size[dim] < self.local[dim] * self.groups[dim])
    }

    /// Places in all.
    pub(super) fn places_in_all(&self) -> usize {
        self.size.iter().product()
    }

    /// Elements of an image.
    pub(super) fn elements_in_all(&self) -> usize {
        self.padded().iter().product()
    }

    /// Elements of an image in each dimension.
    pub(super) fn padded(&self) -> [usize; 3] {
        [0, 1, 2].map(|dim| match dim < self.dims {
            true => self.size[dim] + 2 * self.halo,
            false => 1,
        })
    }

    /// Places' elements are floats.
    pub(super) fn is_float(&self) -> bool {
        self.ty == "float"
    }

    /// The greatest element: sums and products of some are exact.
    pub(super) fn most(&self) -> u32 {
        match self.ty {
            "float" | "uchar" | "char" => 127,
            _ => 1023,
        }
    }

    /// What is launched.
    pub(super) fn geometry(&self, random: &mut Random) -> Geometry {
        if self.is_task {
            return match random.chance(50) {
                true => Geometry::Task,
                false => Geometry::range(&[1], &[1]),
            };
        }
        let numbers = |of: [usize; 3]| of.map(|number| number as u64);
        let [local, groups] = [numbers(self.local), numbers(self.groups)];
        let global = [0, 1, 2].map(|dim| local[dim] * groups[dim]);
        match self.flat {
            true => Geometry::range(&[global.iter().product()], &[local.iter().product()]),
            false => Geometry::range(&global[..self.dims], &local[..self.dims]),
        }
    }

    /// The parameters.
    pub(super) fn params(&self, restrict: bool) -> String {
        let restrict = if restrict { "restrict " } else { "" };
        let ty = self.ty;
        format!(
            "__global const {ty} *{restrict}in, __global const {ty} *{restrict}in2, __global {ty} *{restrict}out, \
             __global {ty} *{restrict}img, __global {ty} *{restrict}mem, __global uint *{restrict}hist, \
             __global const int *{restrict}ta, __global const int *{restrict}tb, int n, int far, int w, int h"
        )
    }

    /// What is passed; no buffer has an element too many.
    pub(super) fn args(&self, job: &mut Job, random: &mut Random, restrict: bool) -> Vec<Arg> {
        let padded = self.padded();
        let image = self.elements_in_all();
        // What is only read may become constant memory, which passes for other memory leave alone.
        let is_constant = random.chance(20);
        let [input, second] = [0, 1].map(|_| {
            let (bytes, fill) = self.elements(image, random);
            match is_constant {
                true => job.input(bytes, fill),
                false => job.buffer(bytes, fill),
            }
        });
        let [img, out, mem] =
            [image, self.places_in_all(), self.places_in_all() * ROW].map(|count| {
                let (bytes, fill) = self.elements(count, random);
                job.buffer(bytes, fill)
            });
        let hist = job.buffer(4 * COUNTS, Fill::of_ints(&[3, 0, 7]));
        let tables = [0, 1].map(|dim| {
            let table = table(random, self.size[dim]);
            job.buffer(4 * table.len(), Fill::of_ints(&table))
        });
        let mut args = vec![input, second, out, img, mem, hist];
        args.extend(tables);
        if !restrict {
            self.alias(&mut args, random);
        }
        let n = random.copy(&[0, 1, 3, 7, 8, 8, 8]);
        let far = if random.chance(30) { FAR } else { 0 };
        args.extend([n, far, padded[0] as i32, padded[1] as i32].map(Arg::int));
        args
    }

    /// Some buffers are passed twice. Only a single work-item may read what it writes elsewhere.
    fn alias(&self, args: &mut [Arg], random: &mut Random) {
        if random.chance(15) {
            args[1] = args[0].clone();
        }
        if !self.is_task {
            return;
        }
        if random.chance(30) && self.elements_in_all() <= self.places_in_all() * ROW {
            args[3] = args[4].clone();
        }
        if random.chance(40) {
            let input = random.below(2);
            args[input] = args[3].clone();
        }
    }

    fn elements(&self, count: usize, random: &mut Random) -> (usize, Fill) {
        let most = self.most() as usize + 1;
        let values: Vec<usize> = (0..PATTERN).map(|_| random.below(most)).collect();
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| match self.ty {
                "float" => (*value as f32).to_ne_bytes().to_vec(),
                "char" | "uchar" => vec![*value as u8],
                "short" | "ushort" => (*value as u16).to_ne_bytes().to_vec(),
                "long" => (*value as u64).to_ne_bytes().to_vec(),
                _ => (*value as u32).to_ne_bytes().to_vec(),
            })
            .collect();
        (count * bytes.len() / PATTERN, Fill::Bytes(bytes))
    }
}

/// The place before each, or after it, or what only nearly is.
fn table(random: &mut Random, size: usize) -> Vec<i32> {
    let last = size as i32 - 1;
    let how = random.below(8);
    let place = |at: i32| match how {
        0..=2 => (at - 1).max(0),
        3..=5 => (at + 1).min(last),
        6 if at == 2 => 0,
        6 => (at - 1).max(0),
        _ => (at + last).rem_euclid(last + 1),
    };
    (0..=last).map(place).collect()
}
