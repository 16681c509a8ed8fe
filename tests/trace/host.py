"""Launches the kernels of k.cl without any package: ctypes on the ICD loader."""

import ctypes
import sys
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_ulong, c_void_p

cl = ctypes.CDLL("libOpenCL.so.1")
N = 256


def call(name, *arguments):
    """Calls a function that returns an error code."""
    error = getattr(cl, name)(*arguments)
    if error != 0:
        sys.exit(f"{name}: error {error}")


def made(name, *arguments):
    """Calls a function that returns a handle."""
    function = getattr(cl, name)
    function.restype = c_void_p
    error = c_int()
    handle = function(*arguments, byref(error))
    if error.value != 0:
        sys.exit(f"{name}: error {error.value}")
    return c_void_p(handle)


local = int(sys.argv[1]) if len(sys.argv) > 1 else 0
platform, device = c_void_p(), c_void_p()
call("clGetPlatformIDs", c_uint(1), byref(platform), None)
call("clGetDeviceIDs", platform, c_ulong(0xFFFFFFFF), c_uint(1), byref(device), None)
context = made("clCreateContext", None, c_uint(1), byref(device), None, None)
queue = made("clCreateCommandQueue", context, device, c_ulong(0))
with open("k.cl", "rb") as file:
    text = c_char_p(b"#define STEP 3\n" + file.read())
program = made("clCreateProgramWithSource", context, c_uint(1), byref(text), None)
call("clBuildProgram", program, c_uint(0), None, c_char_p(b""), None, None)
kernel = made("clCreateKernel", program, c_char_p(b"scale"))
data = (c_float * N)(*range(N))
size = ctypes.sizeof(data)
whole = made("clCreateBuffer", context, c_ulong(1 | 32), c_size_t(2 * size), (c_float * (2 * N))(*range(2 * N)))
parts = []
for number in range(2):
    region = (c_size_t * 2)(number * size, size)
    parts.append(made("clCreateSubBuffer", whole, c_ulong(0), c_uint(0x1220), region))
call("clSetKernelArg", kernel, c_uint(0), c_size_t(8), byref(parts[0]))
call("clSetKernelArg", kernel, c_uint(1), c_size_t(8), byref(parts[1]))
call("clSetKernelArg", kernel, c_uint(2), c_size_t(4), byref(c_float(0.25)))
call("clSetKernelArg", kernel, c_uint(3), c_size_t(4), byref(c_int(7)))
call(
    "clEnqueueNDRangeKernel",
    queue,
    kernel,
    c_uint(1),
    None,
    byref(c_size_t(N)),
    byref(c_size_t(local)) if local else None,
    c_uint(0),
    None,
    None,
)
call("clEnqueueReadBuffer", queue, parts[1], c_uint(1), c_size_t(0), c_size_t(size), data, c_uint(0), None, None)
print("sum", sum(data))
