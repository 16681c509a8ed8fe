//! Whole OpenCL programs and the runner that builds, runs and tables them
