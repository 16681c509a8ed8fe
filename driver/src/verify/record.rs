//! The record that the runtime makes of a run (`FPGACC_RECORD`; the format stands at the head of
//! `record.c`).

use std::collections::BTreeMap;
use std::ops::Range;

use super::numbers::Numbers;

/// What a program did with the device.
#[derive(Debug, Default)]
pub struct Record {
    /// The file.
    bytes: Vec<u8>,
    /// In the order of the host's calls. Of several threads, whose calls come in another order each time, one after
    /// the other, in the order of what they bring.
    pub readbacks: Vec<Readback>,
    /// In the order of the host's calls.
    pub launches: Vec<Launch>,
    /// Read-backs that the host never waited for.
    pub unfinished: usize,
}

/// A call that brought bytes to the host.
#[derive(Debug)]
pub struct Readback {
    /// `clEnqueueReadBuffer`, ...
    pub call: String,
    /// The number of the host's buffer, from 1; unknown for images and shared virtual memory, and where several
    /// threads may make them.
    pub buffer: Option<u64>,
    /// The element type of the kernels' parameters that it was an argument for, if they agree.
    pub element: Option<String>,
    /// Where in the buffer it starts, in bytes.
    pub offset: u64,
    /// What the call or the command came to; 0: success.
    pub error: i64,
    /// The code addresses after the call and after those that led to it, the innermost first, as debug information counts.
    pub from: Vec<u64>,
    number: u64,
    /// The thread that called.
    thread: u64,
    data: Range<usize>,
}

/// A launch of a kernel.
#[derive(Debug)]
pub struct Launch {
    /// Its name.
    pub kernel: String,
    /// What ran.
    pub form: Form,
    /// An OpenCL error; 0: success.
    pub error: i64,
}

/// What stood after a kernel that was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The host's own text, built by the device's compiler.
    Original,
    /// A kernel that fpgacc compiled, launched as the host says.
    NdRange,
    /// One that became a single work-item.
    Task,
    /// One of which a work-item or group does the work of several.
    Coarsened,
}

impl Record {
    /// Reads a record. `None`: it breaks off, or is none.
    pub fn parse(bytes: Vec<u8>) -> Option<Record> {
        let mut record = Record::default();
        let mut at = 0;
        while at < bytes.len() {
            let end = at + bytes[at..].iter().position(|&byte| byte == b'\n')?;
            let line = String::from_utf8_lossy(&bytes[at..end]).into_owned();
            at = end + 1;
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "readback" => {
                    let readback = readback(rest, at)?;
                    at = readback.data.end + 1;
                    if bytes.get(at - 1) != Some(&b'\n') {
                        return None;
                    }
                    record.readbacks.push(readback);
                }
                "launch" => record.launches.push(launch(rest)?),
                "unfinished" => record.unfinished += 1,
                _ => return None,
            }
        }
        record.readbacks.sort_by_key(|readback| readback.number);
        record.bytes = bytes;
        record.order_threads();
        Some(record)
    }

    /// Puts the read-backs of several threads into an order that does not depend on which of them was faster.
    fn order_threads(&mut self) {
        let mut threads: BTreeMap<u64, Vec<Readback>> = BTreeMap::new();
        for readback in std::mem::take(&mut self.readbacks) {
            threads.entry(readback.thread).or_default().push(readback);
        }
        let mut threads: Vec<Vec<Readback>> = threads.into_values().collect();
        if threads.len() > 1 {
            threads.sort_by(|a, b| self.brought(a).cmp(self.brought(b)));
            for readback in threads.iter_mut().flatten() {
                readback.buffer = None;
            }
        }
        self.readbacks = threads.into_iter().flatten().collect();
    }

    /// What read-backs are, and what they bring.
    fn brought<'r>(
        &'r self,
        readbacks: &'r [Readback],
    ) -> impl Iterator<Item = (&'r [u64], u64, usize, &'r [u8])> {
        let of = |one: &'r Readback| (&one.from[..], one.offset, one.data.len(), self.data(one));
        readbacks.iter().map(of)
    }

    /// Names element types by the numbers that they are made of.
    pub fn resolve(&mut self, numbers: &Numbers) {
        for readback in &mut self.readbacks {
            let element = readback.element.as_deref();
            readback.element = element.map(|name| numbers.resolve(name).to_string());
        }
    }

    /// Takes over the element types that are known of another run.
    pub fn take_elements(&mut self, other: &Record) {
        for (own, other) in self.readbacks.iter_mut().zip(&other.readbacks) {
            own.element.clone_from(&other.element);
        }
    }

    /// The bytes that a read-back brought.
    pub fn data(&self, readback: &Readback) -> &[u8] {
        &self.bytes[readback.data.clone()]
    }

    /// All bytes that were read back.
    pub fn size(&self) -> usize {
        self.readbacks.iter().map(|one| one.data.len()).sum()
    }
}

fn readback(line: &str, start: usize) -> Option<Readback> {
    let words: Vec<&str> = line.split(' ').collect();
    let [
        number,
        thread,
        call,
        buffer,
        element,
        offset,
        error,
        from,
        length,
    ] = words[..]
    else {
        return None;
    };
    let length: usize = length.parse().ok()?;
    Some(Readback {
        call: call.to_string(),
        buffer: buffer.parse().ok(),
        element: (!matches!(element, "-" | "?")).then(|| element.to_string()),
        offset: offset.parse().ok()?,
        error: error.parse().ok()?,
        from: addresses(from)?,
        number: number.parse().ok()?,
        thread: thread.parse().ok()?,
        data: start..start.checked_add(length)?,
    })
}

fn addresses(words: &str) -> Option<Vec<u64>> {
    let each = words.split(',');
    each.map(|word| u64::from_str_radix(word, 16).ok())
        .collect()
}

fn launch(line: &str) -> Option<Launch> {
    let mut words = line.split(' ');
    let form = match words.next()? {
        "original" => Form::Original,
        "ndrange" => Form::NdRange,
        "task" => Form::Task,
        "coarsened" => Form::Coarsened,
        _ => return None,
    };
    let error = words.next()?.parse().ok()?;
    let _line = words.next()?;
    let kernel = words.next()?.to_string();
    Some(Launch {
        kernel,
        form,
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_in_the_order_of_the_calls() {
        let text = b"launch task 0 12 add host file.c\n\
            readback 2 1 clEnqueueReadBuffer 1 float 8 0 1f,3a 4\n\n\n\n\n\n\
            readback 1 1 clEnqueueReadImage - ? 0 -5 20 0\n\n\
            unfinished 3 clEnqueueMapBuffer 30\n";
        let record = Record::parse(text.to_vec()).unwrap();
        assert_eq!(record.launches[0].kernel, "add");
        assert_eq!(record.launches[0].form, Form::Task);
        let [image, buffer] = &record.readbacks[..] else {
            panic!("{record:?}");
        };
        assert_eq!((image.error, image.element.as_deref()), (-5, None));
        assert_eq!((buffer.offset, &buffer.from[..]), (8, &[0x1f, 0x3a][..]));
        assert_eq!(record.data(buffer), b"\n\n\n\n");
        assert_eq!((record.unfinished, record.size()), (1, 4));
        for end in [10, 60, 85] {
            assert!(Record::parse(text[..end].to_vec()).is_none(), "{end}");
        }
    }

    #[test]
    fn threads_are_in_the_order_of_what_they_bring() {
        let line = |number: u64, thread: u64, data: &str| {
            format!("readback {number} {thread} clEnqueueReadBuffer 1 int 0 0 1f 2\n{data}\n")
        };
        let brought = |lines: [String; 4]| {
            let record = Record::parse(lines.concat().into_bytes()).unwrap();
            let data = record.readbacks.iter().map(|one| record.data(one).to_vec());
            data.collect::<Vec<_>>()
        };
        let expected = [b"aa", b"zz", b"bb", b"cc"].map(|data| data.to_vec());
        let alternating = [(1, "bb"), (2, "aa"), (1, "cc"), (2, "zz")];
        let in_turn = [(1, "aa"), (1, "zz"), (2, "bb"), (2, "cc")];
        for order in [alternating, in_turn] {
            let mut number = 0;
            let lines = order.map(|(thread, data)| {
                number += 1;
                line(number, thread, data)
            });
            assert_eq!(brought(lines), expected);
        }
    }
}
