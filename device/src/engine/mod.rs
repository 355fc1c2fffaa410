//! Moves files between this device and the others (`PROTOCOL.md`, section F): which files are offered and received, on which
//! links, and whose turn it is. It is told what happened, and says what to do ([`contract`]).

pub mod contract;
