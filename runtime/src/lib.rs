//! The C library that is linked into patched hosts, and the manifest that it reads.
//!
//! The driver describes the kernels that it compiled as a [`Manifest`], turns it into C with
//! [`Manifest::to_c`], and links the result with the library's own sources ([`SOURCES`]) into the
//! executable, with `-Wl,--wrap=` for each of [`WRAPPED`] and `-pthread`. At run time the library
//! replaces program creation and launches as the manifest says.

pub mod contract;
mod emit;
pub mod guard;
pub mod manifest;
pub mod seal;

pub use manifest::Manifest;

macro_rules! sources {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../", $folder, "/", $name)))),*]
    };
}

/// The C library: file names and texts. All of them go into one folder; those that end in `.c` are
/// compiled as C99, with the OpenCL headers that the host uses and no other option, beside the
/// text of [`Manifest::to_c`]. That folder is on the include path of patched hosts, for
/// `fpgacc_rt.h`.
pub const SOURCES: &[(&str, &str)] = sources!["c":
    "fpgacc_rt.h",
    "manifest.h",
    "opencl.h",
    "peers.h",
    "runtime.h",
    "aocx.c",
    "arguments.c",
    "build.c",
    "prelude.c",
    "devices.c",
    "geometry.c",
    "guards.c",
    "guards_memory.c",
    "guards_range.c",
    "guards_values.c",
    "headers.c",
    "kernel_info.c",
    "kernels.c",
    "launch.c",
    "lookup.c",
    "message.c",
    "options.c",
    "peers.c",
    "platform.c",
    "program_info.c",
    "programs.c",
    "record.c",
    "record_calls.c",
    "seal.c",
    "source.c",
    "steps.c",
    "steps_callers.c",
    "steps_loops.c",
    "svm.c",
    "table.c",
];

/// What makes a layer of the ICD loader out of [`SOURCES`], for `fpgacc run`: sources to be compiled
/// with them, with [`LAYER_FLAGS`], into a shared library.
pub const LAYER_SOURCES: &[(&str, &str)] = sources!["layer": "layer.c"];

/// Compiler flags of the layers: they export nothing but what the loader calls.
pub const LAYER_FLAGS: &[&str] = &[
    "-std=gnu11",
    "-w",
    "-O2",
    "-fPIC",
    "-fvisibility=hidden",
    "-DFPGACC_LAYER",
];

/// The layer of the ICD loader that records what a program does with OpenCL, for `fpgacc trace`:
/// sources like [`SOURCES`], for a shared library of their own.
pub const TRACE_SOURCES: &[(&str, &str)] = sources!["trace":
    "trace.h",
    "calls.c",
    "counts.c",
    "launches.c",
    "objects.c",
    "places.c",
    "script.c",
    "values.c",
    "write.c",
];

/// The OpenCL functions that the library replaces: the link takes `-Wl,--wrap=NAME` for each, so
/// that calls in headers, wrapper headers and prebuilt objects reach the library too.
pub const WRAPPED: &[&str] = &[
    "clBuildProgram",
    "clCloneKernel",
    "clCompileProgram",
    "clCreateBuffer",
    "clCreateContextFromType",
    "clCreateKernel",
    "clCreateKernelsInProgram",
    "clCreateProgramWithBinary",
    "clCreateProgramWithSource",
    "clCreateSubBuffer",
    "clEnqueueCopyBuffer",
    "clEnqueueFillBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueNDRangeKernel",
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueReadImage",
    "clEnqueueSVMFree",
    "clEnqueueSVMMap",
    "clEnqueueSVMMemcpy",
    "clEnqueueTask",
    "clEnqueueUnmapMemObject",
    "clEnqueueWriteBuffer",
    "clFinish",
    "clFlush",
    "clGetDeviceIDs",
    "clGetDeviceInfo",
    "clGetEventInfo",
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddressForPlatform",
    "clGetKernelArgInfo",
    "clGetKernelInfo",
    "clGetKernelWorkGroupInfo",
    "clGetPlatformIDs",
    "clGetProgramBuildInfo",
    "clGetProgramInfo",
    "clLinkProgram",
    "clReleaseCommandQueue",
    "clReleaseKernel",
    "clReleaseProgram",
    "clRetainKernel",
    "clRetainProgram",
    "clSVMAlloc",
    "clSVMFree",
    "clSetEventCallback",
    "clSetKernelArg",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clWaitForEvents",
];

/// Functions of C that the library replaces in executables, in the same way: hosts fetch OpenCL's functions
/// by name with them, and load libraries that call such.
pub const WRAPPED_LOOKUPS: &[&str] = &["dlopen", "dlsym", "dlvsym"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapped_function_is_defined_and_every_real_one_is_wrapped() {
        let all: String = SOURCES
            .iter()
            .filter(|(name, _)| name.ends_with(".c"))
            .map(|(_, text)| *text)
            .collect();
        for name in WRAPPED.iter().chain(WRAPPED_LOOKUPS) {
            assert!(
                [" ", "*"]
                    .iter()
                    .any(|before| all.contains(&format!("{before}__wrap_{name}("))),
                "{name} is not defined"
            );
        }
        for (at, _) in all.match_indices("__real_") {
            let name: String = all[at + "__real_".len()..]
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let mut wrapped = WRAPPED.iter().chain(WRAPPED_LOOKUPS);
            assert!(wrapped.any(|one| *one == name), "{name} is not wrapped");
        }
    }

    #[test]
    fn the_library_names_the_same_functions() {
        let mut sources = SOURCES.iter();
        let (_, text) = sources.find(|(name, _)| *name == "opencl.h").unwrap();
        let start = text.find("REPLACED(X)").unwrap();
        let end = start + text[start..].find("\n\n").unwrap();
        let replaced: Vec<&str> = (text[start..end].lines().skip(1))
            .map(|line| {
                line.trim()
                    .trim_start_matches("X(")
                    .trim_end_matches(['\\', ' ', ')'])
            })
            .collect();
        assert_eq!(replaced, WRAPPED);
    }

    #[test]
    fn no_file_of_the_libraries_is_left_out() {
        for (folder, sources) in [
            ("c", SOURCES),
            ("layer", LAYER_SOURCES),
            ("trace", TRACE_SOURCES),
        ] {
            let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
            let mut files: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            files.sort();
            let mut listed: Vec<&str> = sources.iter().map(|(name, _)| *name).collect();
            listed.sort_unstable();
            assert_eq!(files, listed);
        }
    }
}
