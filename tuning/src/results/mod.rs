//! What is told of all trials.
