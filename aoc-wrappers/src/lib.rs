//! Finding and running aoc, the C and C++ compilers and the OpenCL emulators
