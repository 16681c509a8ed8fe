//! Rewrites of the kernel IR and the analyses they stand on
