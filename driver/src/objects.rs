//! Objects and archives of them, as the linker reads them.

use std::borrow::Cow;
use std::path::Path;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::unit::{self, SECTION, Unit};

/// The first bytes of LLVM's bitcode.
const LLVM_BITCODE: &[u8] = b"BC\xC0\xDE";

/// The objects of a file.
pub struct Objects<'b> {
    all: Vec<Cow<'b, [u8]>>,
    is_archive: bool,
}

impl<'b> Objects<'b> {
    /// Of an object, or of an archive. A thin archive has names of files beside it: of those that cannot be read
    /// the linker will say so.
    pub fn of(path: &Path, bytes: &'b [u8]) -> Self {
        let Ok(archive) = ArchiveFile::parse(bytes) else {
            return Objects {
                all: vec![Cow::Borrowed(bytes)],
                is_archive: false,
            };
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let members = archive.members().flatten();
        let contents = members.filter_map(|member| {
            if member.is_thin() {
                let name = String::from_utf8_lossy(member.name());
                let file = std::fs::read(folder.join(&*name));
                return file.ok().map(Cow::Owned);
            }
            member.data(bytes).ok().map(Cow::Borrowed)
        });
        Objects {
            all: contents.collect(),
            is_archive: true,
        }
    }

    /// Whether it is one object, and no archive or anything else.
    pub fn is_object(&self) -> bool {
        let is_read = |bytes: &Cow<'_, [u8]>| object::File::parse(&**bytes).is_ok();
        !self.is_archive && self.all.iter().any(is_read)
    }

    /// Whether the linker can make something of it: of objects, archives, bitcode for its plugins, and scripts.
    pub fn are_linkable(&self) -> bool {
        const WORDS: [&[u8]; 7] = [
            b"INPUT",
            b"GROUP",
            b"SECTIONS",
            b"OUTPUT_FORMAT",
            b"MEMORY",
            b"PROVIDE",
            b"VERSION",
        ];
        let has = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).any(|at| at == word);
        let is_script = |bytes: &[u8]| WORDS.iter().any(|word| has(bytes, word));
        let is_known = |bytes: &Cow<'_, [u8]>| {
            let is_object = object::FileKind::parse(&**bytes).is_ok();
            is_object || bytes.starts_with(LLVM_BITCODE) || is_script(bytes)
        };
        self.is_archive || self.all.iter().all(is_known)
    }

    /// The units in them; `path` is for messages.
    ///
    /// # Errors
    /// A section is there but cannot be read: a message.
    pub fn units(&self, path: &Path) -> Result<Vec<Unit>, String> {
        let mut units = Vec::new();
        for bytes in &self.all {
            units.extend(unit::of_object(path, bytes)?);
        }
        Ok(units)
    }

    /// Whether one that fpgacc did not compile launches kernels: nothing is known of what it passes.
    pub fn launch_unseen(&self) -> bool {
        self.call_unseen(&["clEnqueueNDRangeKernel", "clEnqueueTask"])
    }

    /// Whether one that fpgacc did not compile builds programs: nothing is known of the options.
    pub fn build_unseen(&self) -> bool {
        self.call_unseen(&["clBuildProgram", "clCompileProgram"])
    }

    fn call_unseen(&self, functions: &[&str]) -> bool {
        self.all.iter().any(|bytes| {
            let Ok(file) = object::File::parse(&**bytes) else {
                return false;
            };
            let is_one = |name: &str| functions.contains(&name);
            let mut wanted = file.symbols().filter(ObjectSymbol::is_undefined);
            file.section_by_name(SECTION).is_none()
                && wanted.any(|symbol| symbol.name().is_ok_and(is_one))
        })
    }

    /// Whether one calls a function that the runtime replaces. Of one that is compiled at the link only (`-flto`)
    /// it is not known.
    pub fn call_opencl(&self) -> bool {
        let is_opencl = |name: &str| {
            let name = name.strip_prefix("fpgacc_").unwrap_or(name);
            fpgacc_runtime::WRAPPED.contains(&name)
        };
        self.all.iter().any(|bytes| {
            let Ok(file) = object::File::parse(&**bytes) else {
                return bytes.starts_with(LLVM_BITCODE);
            };
            let mut symbols = file.symbols().filter(|symbol| symbol.is_undefined());
            let mut sections = file.sections();
            symbols.any(|symbol| symbol.name().is_ok_and(is_opencl))
                || sections.any(|section| section.name().is_ok_and(|n| n.starts_with(".gnu.lto_")))
        })
    }

    /// Whether an object was compiled from C++: it then asks for the C++ runtime.
    pub fn is_cxx(&self) -> bool {
        let of_cxx = |name: &str| {
            name.starts_with("_ZS") || name.starts_with("_ZN") || name == "__gxx_personality_v0"
        };
        let is_cxx = |bytes: &Cow<'_, [u8]>| {
            object::File::parse(&**bytes).is_ok_and(|file| {
                let mut wanted = file.symbols().filter(ObjectSymbol::is_undefined);
                wanted.any(|symbol| symbol.name().is_ok_and(of_cxx))
            })
        };
        !self.is_archive && self.all.iter().any(is_cxx)
    }
}
