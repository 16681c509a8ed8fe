//! End-to-end cases that run the real binaries
