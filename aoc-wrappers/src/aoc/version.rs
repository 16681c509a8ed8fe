//! Versions of aoc.

use std::fmt;

/// A version of aoc, such as `19.4.0 Build 64`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AocVersion {
    /// The year.
    pub major: u32,
    /// The release of the year.
    pub minor: u32,
    /// The update.
    pub patch: u32,
    /// What follows `Build`, edition included: `64`, `168.5 Pro Edition`.
    pub build: String,
}

impl AocVersion {
    /// Finds the `Version 19.4.0 Build 64` in what aoc says of itself.
    pub fn parse(text: &str) -> Option<Self> {
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("Version "))?;
        let (number, build) = match line.split_once(" Build ") {
            Some((number, build)) => (number, build.trim()),
            None => (line, ""),
        };
        let mut parts = number.trim().split('.').map(str::parse);
        Some(AocVersion {
            major: parts.next()?.ok()?,
            minor: parts.next()?.ok()?,
            patch: parts.next().map_or(Some(0), Result::ok)?,
            build: build.to_string(),
        })
    }

    /// Whether this is the given release or a later one.
    pub fn at_least(&self, major: u32, minor: u32) -> bool {
        (self.major, self.minor) >= (major, minor)
    }

    /// Long flags have two dashes, and their values are words of their own: until 17.0. Later
    /// versions warn of the old spelling.
    pub fn two_dashes(&self) -> bool {
        !self.at_least(17, 1)
    }
}

impl fmt::Display for AocVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_each_version_says() {
        let cases = [
            (
                "Altera SDK for OpenCL, 64-Bit Offline Compiler\nVersion 16.1.0 Build 196\n\
                 Copyright (C) 2016 Altera Corporation\n",
                (16, 1, 0, "196"),
            ),
            (
                "Intel(R) FPGA SDK for OpenCL(TM), 64-Bit Offline Compiler\nVersion 19.4.0 Build \
                 64 Pro Edition\nCopyright (C) 2019 Intel Corporation\n",
                (19, 4, 0, "64 Pro Edition"),
            ),
            ("Version 22.4", (22, 4, 0, "")),
        ];
        for (text, (major, minor, patch, build)) in cases {
            let version = AocVersion::parse(text).unwrap();
            assert_eq!(
                (version.major, version.minor, version.patch, &*version.build),
                (major, minor, patch, build)
            );
        }
        assert_eq!(AocVersion::parse("Version control"), None);
        assert_eq!(AocVersion::parse(""), None);
    }
}
