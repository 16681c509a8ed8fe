//! Copies that a whole group makes, and what is said of memory besides barriers.

use super::choices::{Home, Layout, State};
use super::maker::Maker;

impl Maker {
    /// Copies from or to an array of the group, and waits; a barrier if there is no array that fits.
    pub(super) fn group_copy(&mut self) {
        let passable = |array: &usize| {
            let home = self.shared[*array].home;
            matches!(home, Home::Local | Home::Rows | Home::Parameter)
        };
        let arrays: Vec<usize> = (0..self.shared.len()).filter(passable).collect();
        if arrays.is_empty() || self.scope.in_function {
            return self.barrier();
        }
        let first = self.s.copy(&arrays);
        let second = self.s.copy(&arrays);
        let copies: Vec<usize> = match first != second && self.s.chance(50) {
            true => vec![first, second],
            false => vec![first],
        };
        let mut during = self.state.clone();
        let mut back = self.back.is_some();
        let mut ways = Vec::new();
        for &array in &copies {
            // Two copies to one place would race.
            let out = back && !self.shared[array].float && self.s.chance(50);
            back &= !out;
            during[array] = if out { State::Read } else { State::Copied };
            ways.push((array, out));
        }
        // From here on nobody may write what is copied.
        let mem = self.global_array();
        if let Some(mem) = mem
            && self.s.chance(50)
        {
            during[mem] = State::Read;
        }
        self.barrier_to(&during);
        let copies: Vec<String> = ways
            .into_iter()
            .map(|(array, out)| match out {
                true => self.copy_out(array),
                false => self.copy_in(array),
            })
            .collect();
        let event = self.name("e");
        self.start(&event, &copies);
        for _ in 0..self.s.below(3) {
            let context = super::maker::Context {
                depth: 3,
                ..Default::default()
            };
            let text = self.plain(&context);
            self.line(&text);
        }
        if self.s.chance(20) {
            self.barrier_to(&during);
        }
        let events = if copies.len() == 2 && self.pair_of_events {
            2
        } else {
            1
        };
        let place = match events {
            2 => event,
            _ => format!("&{event}"),
        };
        self.line(&format!("wait_group_events({events}, {place});"));
        self.barriers += 1;
        for state in &mut self.state {
            if *state == State::Copied {
                *state = self.s.copy(&[State::Own, State::Read, State::Read]);
            }
        }
    }

    fn global_array(&self) -> Option<usize> {
        self.shared.iter().position(|s| s.home == Home::Global)
    }

    /// Starts the copies; `(EVENT)` in each stands for the event that it joins.
    fn start(&mut self, event: &str, copies: &[String]) {
        let joining = |copy: &str, event: &str| copy.replace("(EVENT)", event);
        self.pair_of_events = false;
        match copies {
            [one] => match self.v.below(3) {
                0 => self.line(&format!(
                    "event_t {event};\n{event} = {};",
                    joining(one, "0")
                )),
                _ => self.line(&format!("event_t {event} = {};", joining(one, "0"))),
            },
            [one, two] if self.v.chance(50) => {
                self.line(&format!(
                    "event_t {event} = {};\n{event} = {};",
                    joining(one, "0"),
                    joining(two, event)
                ));
            }
            [one, two] => {
                self.pair_of_events = true;
                self.line(&format!(
                    "event_t {event}[2];\n{event}[1] = {};\n{event}[0] = {};",
                    joining(one, "0"),
                    joining(two, "0")
                ));
            }
            _ => {}
        }
    }

    /// A pointer to an array's first element.
    fn start_of(&self, array: usize) -> String {
        let shared = &self.shared[array];
        match shared.home {
            Home::Rows => format!("&{}[0][0]", shared.name),
            _ => shared.name.clone(),
        }
    }

    /// How many elements, 1 or more, the same for all.
    fn length(&mut self) -> String {
        let size = self.shape.group_size();
        match self.s.below(4) {
            0 => {
                let value = self.uniform_value(1);
                format!("(size_t)((uint)({value}) % {size}u + 1u)")
            }
            1 => format!("{}", 1 + self.s.below(size as usize)),
            _ => format!("{size}"),
        }
    }

    /// From global memory.
    fn copy_in(&mut self, array: usize) -> String {
        let to = self.start_of(array);
        let length = self.length();
        let mem = self.global_array();
        if let Some(mem) = mem
            && self.state[mem] == State::Read
            && !self.shared[array].float
            && self.s.chance(50)
        {
            let (group, size) = (self.flat_group(), self.shape.group_size());
            return format!(
                "async_work_group_copy({to}, mem + {group} * {size}, {length}, (EVENT))"
            );
        }
        let from = if self.shared[array].float {
            "fin"
        } else {
            "in"
        };
        let at = self.uniform_value(1);
        match self.s.below(3) {
            // 15 + 15 * 3 is below 64.
            0 => {
                let stride = 1 + self.s.below(3);
                format!(
                    "async_work_group_strided_copy({to}, {from} + (({at}) & 15), {length}, {stride}, (EVENT))"
                )
            }
            1 => format!("async_work_group_copy({to}, &{from}[({at}) & 31], {length}, (EVENT))"),
            _ => format!("async_work_group_copy({to}, {from} + (({at}) & 31), {length}, (EVENT))"),
        }
    }

    /// To the group's elements of `back`.
    fn copy_out(&mut self, array: usize) -> String {
        let (from, length) = (self.start_of(array), self.length());
        let from = format!("(const __local uint *)({from})");
        let group = self.flat_group();
        match self.back {
            Some(Layout::Interleaved) => {
                let groups = self.shape.group_count();
                format!(
                    "async_work_group_strided_copy(back + {group}, {from}, {length}, {groups}, (EVENT))"
                )
            }
            _ => {
                let size = self.shape.group_size();
                format!("async_work_group_copy(back + {group} * {size}, {from}, {length}, (EVENT))")
            }
        }
    }

    /// A fence, or a hint: both change nothing that a kernel without races sees.
    pub(super) fn fence(&mut self) -> String {
        let flags = self.s.pick(&[
            "CLK_LOCAL_MEM_FENCE",
            "CLK_GLOBAL_MEM_FENCE",
            "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        ]);
        match self.s.below(5) {
            0 => format!("mem_fence({flags});"),
            1 => format!("read_mem_fence({flags});"),
            2 => format!("write_mem_fence({flags});"),
            _ if self.scope.in_function => format!("mem_fence({flags});"),
            3 => {
                let value = self.value(1);
                format!("prefetch(&in[({value}) & 31], 8);")
            }
            _ => {
                let value = self.value(1);
                format!("prefetch(fin + (({value}) & 31), (size_t)(n & 15));")
            }
        }
    }
}
