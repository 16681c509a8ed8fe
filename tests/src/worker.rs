//! The process that runs one job on one OpenCL implementation.

use std::ffi::{CString, c_void};
use std::fs;
use std::path::Path;
use std::ptr;
use std::thread;
use std::time::Duration;

use opencl3::command_queue::{
    create_command_queue, enqueue_nd_range_kernel, enqueue_read_buffer, enqueue_task, finish,
};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::{create_kernel, set_kernel_arg};
use opencl3::memory::{
    CL_MEM_COPY_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, create_buffer,
};
use opencl3::platform::get_platforms;
use opencl3::program::{CL_PROGRAM_BUILD_LOG, Program, build_program, get_program_build_info};
use opencl3::types::{CL_TRUE, cl_command_queue, cl_device_id, cl_kernel, cl_mem, cl_program};
use serde::{Deserialize, Serialize};

use crate::job::{Arg, Buffer, Geometry, Job, Launch};

/// The variable that names the folder of the exchange.
pub const FOLDER: &str = "FPGACC_DIFF_FOLDER";
/// The file with the [`Question`].
pub const QUESTION: &str = "question.json";
/// The file with the answer: empty, or what went wrong.
pub const ANSWER: &str = "answer";
/// The file that Oclgrind writes to.
pub const LOG: &str = "log";

/// Bytes after each buffer that no kernel may touch.
const GUARD: usize = 256;
/// What they hold.
const GUARD_BYTE: u8 = 0xa5;

/// Bytes of a page.
const PAGE: usize = 4096;

/// How long a job goes on after Oclgrind's first complaint: what has written where it must not may well
/// never end.
const AFTER_COMPLAINT: Duration = Duration::from_secs(5);

/// What a worker is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// Part of the platform's name.
    pub platform: String,
    /// Lay bytes after each buffer and look whether they stay. Oclgrind sees such accesses itself.
    pub guarded: bool,
    /// What to run.
    pub job: Job,
}

/// Does a worker's work, if this process was started as one, and says whether it was.
pub fn run_if_asked() -> bool {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return false;
    };
    let folder = Path::new(&folder);
    let answer = work(folder).err().unwrap_or_default();
    if let Err(error) = fs::write(folder.join(ANSWER), answer) {
        eprintln!("fpgacc-diff: {error}");
    }
    true
}

fn work(folder: &Path) -> Result<(), String> {
    let text = fs::read(folder.join(QUESTION)).map_err(|e| e.to_string())?;
    let question: Question = serde_json::from_slice(&text).map_err(|e| e.to_string())?;
    let session = Session::open(&question)?;
    let watched = folder.to_path_buf();
    thread::spawn(move || stop_after_complaint(&watched));
    for launch in &question.job.launches {
        session.launch(launch)?;
    }
    for index in 0..session.buffers.len() {
        let bytes = session.read(index)?;
        fs::write(folder.join(format!("buffer{index}")), bytes).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Ends the process some time after something was complained of.
fn stop_after_complaint(folder: &Path) {
    let log = folder.join(LOG);
    while fs::metadata(&log).map_or(0, |log| log.len()) == 0 {
        thread::sleep(Duration::from_millis(500));
    }
    thread::sleep(AFTER_COMPLAINT);
    let complaints = fs::read_to_string(&log).unwrap_or_default();
    // Without an answer the process counts as one that failed, too.
    let _ = fs::write(folder.join(ANSWER), complaints.trim_start());
    std::process::exit(1);
}

/// An open device with a built program. Nothing is released: the process ends soon, and releasing is
/// where some implementations crash.
struct Session {
    queue: cl_command_queue,
    program: cl_program,
    buffers: Vec<cl_mem>,
    sizes: Vec<usize>,
    guard: usize,
}

impl Session {
    fn open(question: &Question) -> Result<Self, String> {
        let id = find_device(&question.platform)?;
        let context = Context::from_device(&Device::new(id)).map_err(|e| e.to_string())?;
        // SAFETY: context and device are valid.
        let queue = unsafe { create_command_queue(context.get(), id, 0) }
            .map_err(|code| failed("clCreateCommandQueue", code))?;
        let program = build(&context, id, &question.job)?;
        let guard = if question.guarded { GUARD } else { 0 };
        let mut buffers = Vec::new();
        let mut sizes = Vec::new();
        for buffer in &question.job.buffers {
            buffers.push(create(&context, buffer, guard)?);
            sizes.push(buffer.bytes);
        }
        std::mem::forget(context);
        Ok(Session {
            queue,
            program,
            buffers,
            sizes,
            guard,
        })
    }

    fn launch(&self, launch: &Launch) -> Result<(), String> {
        let name = CString::new(launch.kernel.as_str()).map_err(|e| e.to_string())?;
        let kernel = create_kernel(self.program, &name)
            .map_err(|code| failed(&format!("clCreateKernel('{}')", launch.kernel), code))?;
        for (index, arg) in launch.args.iter().enumerate() {
            self.set_arg(kernel, index, arg)?;
        }
        self.enqueue(kernel, &launch.geometry)?;
        finish(self.queue).map_err(|code| failed("clFinish", code))
    }

    fn set_arg(&self, kernel: cl_kernel, index: usize, arg: &Arg) -> Result<(), String> {
        let (size, value) = match arg {
            Arg::Buffer(buffer) => {
                let memory = self
                    .buffers
                    .get(*buffer)
                    .ok_or_else(|| format!("the job has no buffer {buffer}"))?;
                (size_of::<cl_mem>(), ptr::from_ref(memory).cast())
            }
            Arg::Local(bytes) => (*bytes, ptr::null()),
            Arg::Value(bytes) => (bytes.len(), bytes.as_ptr().cast()),
        };
        // SAFETY: the pointer is good for the size, or null for local memory.
        unsafe { set_kernel_arg(kernel, index as u32, size, value) }
            .map_err(|code| failed(&format!("clSetKernelArg({index})"), code))
    }

    fn enqueue(&self, kernel: cl_kernel, geometry: &Geometry) -> Result<(), String> {
        let Geometry::Range {
            offset,
            global,
            local,
        } = geometry
        else {
            // SAFETY: queue and kernel are valid, and all arguments are set.
            return unsafe { enqueue_task(self.queue, kernel, 0, ptr::null()) }
                .map(drop)
                .map_err(|code| failed("clEnqueueTask", code));
        };
        let sizes = |values: &[u64]| values.iter().map(|v| *v as usize).collect::<Vec<_>>();
        let (offset, global, local) = (sizes(offset), sizes(global), sizes(local));
        let or_null = |values: &[usize]| match values.len() {
            0 => Ok(ptr::null()),
            count if count == global.len() => Ok(values.as_ptr()),
            _ => Err("sizes of a launch differ in their number of dimensions".to_string()),
        };
        // SAFETY: as above; each array has `work_dim` elements or is null.
        unsafe {
            enqueue_nd_range_kernel(
                self.queue,
                kernel,
                global.len() as u32,
                or_null(&offset)?,
                global.as_ptr(),
                or_null(&local)?,
                0,
                ptr::null(),
            )
        }
        .map(drop)
        .map_err(|code| failed("clEnqueueNDRangeKernel", code))
    }

    fn read(&self, index: usize) -> Result<Vec<u8>, String> {
        let size = self.sizes[index];
        let mut bytes = vec![0u8; size + self.guard];
        // SAFETY: the buffer and the memory read into have this size.
        unsafe {
            enqueue_read_buffer(
                self.queue,
                self.buffers[index],
                CL_TRUE,
                0,
                bytes.len(),
                bytes.as_mut_ptr().cast::<c_void>(),
                0,
                ptr::null(),
            )
        }
        .map_err(|code| failed("clEnqueueReadBuffer", code))?;
        if bytes[size..].iter().any(|byte| *byte != GUARD_BYTE) {
            return Err(format!("a kernel wrote beyond the end of buffer {index}"));
        }
        bytes.truncate(size);
        Ok(bytes)
    }
}

/// A buffer with its contents, and guard bytes after them.
fn create(context: &Context, buffer: &Buffer, guard: usize) -> Result<cl_mem, String> {
    let mut bytes = buffer.contents();
    bytes.resize(buffer.bytes + guard, GUARD_BYTE);
    let access = match buffer.read_only {
        true => CL_MEM_READ_ONLY,
        false => CL_MEM_READ_WRITE,
    };
    let (flag, memory) = match buffer.in_host {
        None => (CL_MEM_COPY_HOST_PTR, bytes.as_mut_slice()),
        Some(offset) => (CL_MEM_USE_HOST_PTR, kept(&bytes, offset)),
    };
    // SAFETY: the pointer is good for the size; what it points to is copied, or stays for ever.
    let created = unsafe {
        create_buffer(
            context.get(),
            access | flag,
            memory.len(),
            memory.as_mut_ptr().cast::<c_void>(),
        )
    };
    created.map_err(|code| failed("clCreateBuffer", code))
}

/// A copy that stays for ever, so many bytes after the start of a page.
fn kept(bytes: &[u8], offset: usize) -> &'static mut [u8] {
    let all = vec![0; PAGE + offset + bytes.len()].leak();
    let start = all.as_ptr().align_offset(PAGE) + offset;
    let copy = &mut all[start..start + bytes.len()];
    copy.copy_from_slice(bytes);
    copy
}

fn find_device(platform: &str) -> Result<cl_device_id, String> {
    let platforms = get_platforms().map_err(|e| failed("clGetPlatformIDs", e.0))?;
    let found = platforms
        .into_iter()
        .find(|found| found.name().is_ok_and(|name| name.contains(platform)))
        .ok_or_else(|| format!("the ICD loader knows no platform '{platform}'"))?;
    let devices = found
        .get_devices(CL_DEVICE_TYPE_ALL)
        .map_err(|e| failed("clGetDeviceIDs", e.0))?;
    devices.first().copied().ok_or("no device".to_string())
}

fn build(context: &Context, device: cl_device_id, job: &Job) -> Result<cl_program, String> {
    let program = Program::create_from_source(context, &job.source)
        .map_err(|e| failed("clCreateProgramWithSource", e.0))?;
    let options = CString::new(job.options.as_str()).map_err(|e| e.to_string())?;
    let id = program.get();
    std::mem::forget(program);
    build_program(id, &[device], &options, None, ptr::null_mut()).map_err(|code| {
        let log = get_program_build_info(id, device, CL_PROGRAM_BUILD_LOG);
        let log = log.map(String::from).unwrap_or_default();
        format!(
            "{}\n{}",
            failed("clBuildProgram", code),
            log.trim_end_matches('\0')
        )
    })?;
    Ok(id)
}

fn failed(call: &str, code: i32) -> String {
    let name = opencl3::error_codes::error_text(code);
    format!("{call} failed: {name} ({code})")
}
