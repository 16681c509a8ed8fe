//! What is done at a place: parts without loops that carry something, and what chooses between all parts.

use super::borders::Border;
use super::composer::{COORDINATES, Composer, Kind};
use super::scene::{COUNTS, ROW};

impl Composer<'_> {
    /// One part, sometimes on a condition.
    pub(super) fn part(&mut self, kind: Kind) {
        let can_meet = self.has_tile() && !self.has_left;
        if can_meet && self.random.chance(40) {
            return self.exchange();
        }
        if self.random.chance(5) {
            return self.exit();
        }
        let is_guarded = self.random.chance(10);
        if is_guarded {
            let condition = self.condition();
            self.line(&format!("if ({condition}) {{"));
        }
        self.some_part(kind);
        if is_guarded {
            self.line("}");
        }
    }

    fn some_part(&mut self, kind: Kind) {
        match (kind, self.random.below(10)) {
            (Kind::Around, 0..=5) => self.stencil(),
            (Kind::Around, 6..=8) => self.filter(),
            (Kind::Tables, 0..=7) => self.tables(),
            (Kind::Tables, 8) => self.stencil(),
            (Kind::Shared, 0..=5) => self.product(),
            (Kind::Shared, 6 | 7) => self.stencil(),
            (Kind::Shared, 8) => self.filter(),
            _ => self.any_part(),
        }
    }

    /// Loops, mostly.
    pub(super) fn any_part(&mut self) {
        match self.random.below(36) {
            30..=32 => self.sequence(),
            33..=35 => self.separable(),
            0 => self.stencil(),
            1 => self.filter(),
            2 | 3 | 20 => self.rows(),
            21 | 24..=26 => self.recurrence(),
            22 | 23 => self.again(),
            27 => self.counts(),
            28 | 29 => self.walk(),
            4 | 5 => self.product(),
            6 | 7 => self.recurrence(),
            8 | 9 => self.elements(),
            10 | 11 => self.again(),
            12 | 13 => self.ids_or_update(),
            14 => self.tables(),
            15 | 16 => self.counts(),
            17 => self.private(),
            _ => self.ids_or_update(),
        }
    }

    fn ids_or_update(&mut self) {
        match self.scene.is_task {
            true => self.update(),
            false if self.random.chance(25) => self.own_place(),
            false => self.ids(),
        }
    }

    /// What differs between places, or launches.
    pub(super) fn condition(&mut self) -> String {
        let limit = self.random.below(6);
        let sum = if self.scene.is_float() {
            "(uint)s"
        } else {
            "s"
        };
        match self.random.below(7) {
            0 => format!("({sum} & 1u) != 0u"),
            1 => format!("x > {limit}"),
            2 => format!("n > {limit}"),
            3 => "far < 100".to_string(),
            4 => format!("(at + {limit}) % 3 != 1"),
            5 => format!("{sum} % 5u == 2u || x < {limit}"),
            _ => format!("in[{}] > 40", limit % self.scene.elements_in_all()),
        }
    }

    /// Takes a value in.
    pub(super) fn gather(&mut self, value: &str) -> String {
        let by = 2 + self.random.below(4);
        match (self.scene.is_float(), self.random.below(6)) {
            (true, 0) => format!("s += {value} * {by}.0f;"),
            (true, 1) => format!("s = fmax(s, (float)({value}));"),
            (true, _) => format!("s += {value};"),
            (false, 0) => format!("s = s * {by}u + {value};"),
            (false, 1) => format!("s ^= {value};"),
            (false, 2) => format!("s -= {value} * {by};"),
            (false, 3) => format!("s = max(s, (uint)({value}));"),
            (false, _) => format!("s += {value};"),
        }
    }

    /// An image that may be read around the place.
    pub(super) fn image(&mut self) -> &'static str {
        match self.scene.is_task && self.random.chance(20) {
            true => "img",
            false => self.random.pick(&["in", "in", "in2"]),
        }
    }

    /// What tables of neighbours say.
    fn tables(&mut self) {
        let halo = self.scene.halo;
        for _ in 0..1 + self.random.below(3) {
            let mut coordinates: Vec<String> = (0..self.scene.dims)
                .map(|dim| format!("{} + {halo}", COORDINATES[dim]))
                .collect();
            let dim = self.random.below(self.scene.dims.min(2));
            let table = format!("{}[{}]", ["ta", "tb"][dim], COORDINATES[dim]);
            coordinates[dim] = match self.random.below(8) {
                0 => format!("{table} / 2 + {halo}"),
                _ => format!("{table} + {halo}"),
            };
            let index = self.index(&coordinates);
            let image = self.image();
            let read = match self.random.below(6) {
                0 => format!("({}) % 64", table),
                1 => format!("(x > 2 ? {image}[{index}] : 7)"),
                _ => format!("{image}[{index}]"),
            };
            let line = self.gather(&read);
            self.line(&line);
        }
    }

    /// Atomics.
    fn counts(&mut self) {
        let last = COUNTS - 1;
        let sum = if self.scene.is_float() {
            "(uint)s"
        } else {
            "s"
        };
        let index = match self.random.below(5) {
            0 => format!("{sum} % {COUNTS}u"),
            1 => format!("x & {last}"),
            2 => format!("((uint)in[at] >> 1) & {last}u"),
            3 => "min((uint)in2[at], 9u)".to_string(),
            _ => format!("{sum} & {last}u"),
        };
        let call = match self.random.below(6) {
            0 => format!("atomic_add(&hist[{index}], {sum});"),
            1 => format!("atomic_sub(hist + ({index}), 3u);"),
            2 => format!("atomic_dec(&hist[{index}]);"),
            // No sum, so that it breaks the rules; with sums, the order matters.
            3 if self.scene.is_task && self.random.chance(30) => {
                format!("atomic_max(&hist[{index}], 9u);")
            }
            _ => format!("atomic_inc(&hist[{index}]);"),
        };
        let line = match self.random.below(4) {
            0 => format!("if (({sum} & 3u) == 1u) {{\n{call}\n}}"),
            1 => {
                let t = self.name("t");
                format!("for (int {t} = 0; {t} < 3; {t}++) {{\n{call}\ns += {t};\n}}")
            }
            _ => call,
        };
        self.line(&line);
    }

    /// An array of the place.
    fn private(&mut self) {
        let (p, t) = (self.name("p"), self.name("t"));
        let ty = self.scene.ty;
        let kept = self.kept();
        let value = self.gather(&format!("{p}[{t}]"));
        self.line(&format!(
            "{ty} {p}[4] = {{ 1, 2 }};\n{p}[x & 3] = {kept};\n\
             for (int {t} = 0; {t} < 4; {t}++) {{\n{value}\n{p}[{t}] = {p}[3 - {t}];\n}}\ns += {p}[1];"
        ));
    }

    /// A single work-item reads and writes an image.
    fn update(&mut self) {
        let reach = 1 + self.random.below(2);
        for _ in 0..1 + self.random.below(2) {
            let moved = self.moved(reach);
            let from = self.element(moved, Border::Asked);
            let read = self.gather(&format!("img[{}]", from.index));
            let read = match from.condition() {
                Some(condition) => format!("if ({condition}) {{\n{read}\n}}"),
                None => read,
            };
            self.line(&read);
            self.keep();
        }
        let moved = match self.random.chance(70) {
            true => [0; 3],
            false => self.moved(1),
        };
        let to = self.element(moved, Border::Asked);
        let store = format!("img[{}] = {};", to.index, self.kept());
        let store = match to.condition() {
            Some(condition) => format!("if ({condition}) {{\n{store}\n}}"),
            None => store,
        };
        self.line(&store);
    }

    /// A work-item reads and writes its own place of an image.
    fn own_place(&mut self) {
        let t = self.name("t");
        let own = self.element([0; 3], Border::Asked).index;
        let (kept, read) = (self.kept(), self.gather(&format!("img[{own}]")));
        let (first, second) = match self.random.chance(50) {
            true => (read, format!("img[{own}] = {kept};")),
            false => (format!("img[{own}] = {kept};"), read),
        };
        let guard = self.condition();
        let second = match self.random.below(3) {
            0 => format!("if ({guard}) {{\n{second}\n}}"),
            _ => second,
        };
        let keep = self.keep_sum(127);
        self.line(&format!(
            "for (int {t} = 0; {t} < 3; {t}++) {{\n{first}\n{keep}{second}\n}}"
        ));
    }

    /// Conditions and loops over ids.
    fn ids(&mut self) {
        let dims = if self.scene.flat { 1 } else { self.scene.dims };
        let dim = self.random.below(dims);
        let limit = self.random.copy(&[1, 3, 4, 8, 15, 16, 17, 64]);
        let line = self.gather("3");
        let t = self.name("t");
        let text = match self.random.below(7) {
            0 => format!("if (get_global_id({dim}) < {limit}) {{\n{line}\n}}"),
            1 => format!("if ((int)get_global_id({dim}) >= {limit}) {{\n{line}\n}}"),
            2 => format!("if (get_local_id({dim}) < {limit}) {{\n{line}\n}}"),
            3 => {
                format!("if (get_local_size({dim}) > {limit}) {{\n{line}\n}} else {{\ns += 5;\n}}")
            }
            4 => format!(
                "for (int {t} = get_local_id({dim}); {t} < {limit}; {t} += get_local_size({dim})) {{\n\
                 s += {t};\n}}"
            ),
            5 => format!(
                "for (uint {t} = get_global_id({dim}); {t} < {limit}; {t} += get_global_size({dim})) {{\n\
                 s += {t};\n}}"
            ),
            _ => format!("if (get_global_id({dim}) + 1 < get_global_size({dim})) {{\n{line}\n}}"),
        };
        self.line(&text);
    }

    /// Work-items of a group exchange values.
    fn exchange(&mut self) {
        let flat = self.scene.flat;
        let l = match (flat, self.scene.dims) {
            (true, _) | (_, 1) => "get_local_id(0)",
            (_, 2) => "(get_local_id(1) * get_local_size(0) + get_local_id(0))",
            _ => {
                "((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))"
            }
        };
        let all: usize = self.scene.local.iter().product();
        let by = 1 + self.random.below(all);
        let l_name = self.name("l");
        self.line(&format!(
            "uint {l_name} = {l};\ntile[{l_name}] = (uint)s & 63u;"
        ));
        self.barrier();
        let read = match self.random.below(5) {
            3 => format!("tile[{l_name}]"),
            4 => format!("(tile[{l_name}] + ({l_name} > 0u ? tile[{l_name} - 1u] : 5u))"),
            0 => format!("tile[{all} - 1 - {l_name}]"),
            1 => format!("tile[({l_name} + {by}) % {all}u]"),
            _ => format!("({l_name} > 0u ? tile[{l_name} - 1u] : 5u)"),
        };
        let line = self.gather(&read);
        self.line(&line);
        self.barrier();
    }

    /// Some places end here.
    fn exit(&mut self) {
        let condition = self.condition();
        let kept = self.kept();
        let leave = match self.scene.is_task {
            true => self
                .random
                .pick(&["continue;", "continue;", "break;", "return;"]),
            false => "return;",
        };
        self.has_left = true;
        let store = match self.random.chance(60) {
            true => format!("out[at] = {kept};\n"),
            false => String::new(),
        };
        self.line(&format!("if ({condition}) {{\n{store}{leave}\n}}"));
    }

    /// A row of the place's own begins here.
    pub(super) fn own_row(&mut self) -> String {
        let row = self.name("row");
        let ty = self.random.pick(&["int", "int", "uint", "long"]);
        self.line(&format!("{ty} {row} = at * {ROW};"));
        row
    }
}
