//! Hosts (C and C++): syntax over the original text, live lines and the macro table.
