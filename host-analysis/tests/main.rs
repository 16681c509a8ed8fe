//! What is found out about hosts.

mod clang_view;
mod counters;
mod hosts;
mod ping_pong;
mod references;
mod rodinia;
mod standard_library;
mod unfollowed;
mod values;
