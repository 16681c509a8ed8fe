//! Buffers.

use std::fmt::Write as _;

use super::super::scene::{Flags, Stmt};
use super::Speller;

impl Speller<'_> {
    pub(super) fn create(&mut self, b: usize, words: usize, flags: Flags, seed: u8) {
        let name = self.buffers[b].clone();
        let size = self.number_of(words);
        let flag = match flags {
            Flags::ReadOnly => "CL_MEM_READ_ONLY",
            _ => "CL_MEM_READ_WRITE",
        };
        if flags == Flags::Svm {
            self.parts.need("svm_filled");
            return self.line(&format!("{name} = svm_filled({words}, {seed});"));
        }
        if flags == Flags::UseHostPtr {
            let memory = self.name("memory");
            let _ = writeln!(
                self.parts.globals,
                "static cl_uint {memory}[{words}] __attribute__((aligned(4096)));"
            );
            self.line(&format!("fill({memory}, {words}, {seed});"));
            self.line(&format!(
                "{name} = clCreateBuffer(context, {flag} | CL_MEM_USE_HOST_PTR, sizeof {memory}, {memory}, &err);"
            ));
            return;
        }
        match self.known.below(4) {
            0 => {
                self.parts.need("make_buffer");
                self.line(&format!("{name} = make_buffer({flag}, {size}, {seed});"));
            }
            1 => {
                self.parts.need("new_buffer");
                self.line(&format!("new_buffer(&{name}, {size}, {seed}, {flag});"));
            }
            2 => {
                self.parts.need("write_buffer");
                self.line(&format!(
                    "{name} = clCreateBuffer(context, {flag}, {size} * sizeof(cl_uint), NULL, NULL);"
                ));
                self.checked(&format!("write_buffer({name}, {seed})"));
            }
            _ => {
                let data = self.name("data");
                self.line(&format!(
                    "cl_uint *{data} = (cl_uint *)malloc({words} * sizeof(cl_uint)); fill({data}, {words}, {seed});"
                ));
                self.line(&format!(
                    "{name} = clCreateBuffer(context, {flag} | CL_MEM_COPY_HOST_PTR, sizeof(cl_uint) * {size}, {data}, &err);"
                ));
                self.line(&format!("free({data});"));
            }
        }
    }

    /// How many words of shared virtual memory a variable has; `None` if it is a buffer.
    pub(super) fn shared_words(&self, b: usize) -> Option<usize> {
        self.scene
            .body
            .iter()
            .find_map(|statement| match statement {
                Stmt::Create {
                    b: other,
                    words,
                    flags: Flags::Svm,
                    ..
                } if *other == b => Some(*words),
                _ => None,
            })
    }

    /// The type of a variable.
    pub(super) fn type_of(&self, b: usize) -> &'static str {
        match self.shared_words(b) {
            Some(_) => "cl_uint *",
            None => "cl_mem ",
        }
    }

    pub(super) fn show(&mut self, b: usize) {
        let name = self.buffers[b].clone();
        if let Some(words) = self.shared_words(b) {
            self.parts.need("show_svm");
            return self.line(&format!("show_svm(\"b{b}\", {name}, {words});"));
        }
        let how = match self.r.chance(30) {
            true => "show_mapped",
            false => "show",
        };
        if how == "show_mapped" {
            self.parts.need("show_mapped");
        }
        self.line(&format!("{how}(\"b{b}\", {name});"));
    }

    pub(super) fn part(&mut self, b: usize, of: usize, origin: usize, words: usize) {
        let (name, whole) = (self.buffers[b].clone(), self.buffers[of].clone());
        if self.known.chance(40) {
            self.parts.need("part_of");
            let origin = self.number_of(origin);
            self.line(&format!("{name} = part_of({whole}, {origin}, {words});"));
            return;
        }
        let region = self.name("region");
        self.line(&format!(
            "cl_buffer_region {region} = {{ {origin} * sizeof(cl_uint), {words} * sizeof(cl_uint) }};"
        ));
        self.line(&format!(
            "{name} = clCreateSubBuffer({whole}, 0, CL_BUFFER_CREATE_TYPE_REGION, &{region}, &err);"
        ));
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        let (a, b) = (self.buffers[a].clone(), self.buffers[b].clone());
        if self.known.chance(40) {
            self.parts.need("swap_buffers");
            self.line(&format!("swap_buffers(&{a}, &{b});"));
        } else if self.style.cpp && self.known.chance(50) {
            self.parts.need("utility");
            self.line(&format!("std::swap({a}, {b});"));
        } else {
            self.line(&format!(
                "{{ cl_mem other = {a}; {a} = {b}; {b} = other; }}"
            ));
        }
    }
}
