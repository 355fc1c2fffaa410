//! The program's arguments.

use std::process::Command;

#[test]
fn refuses_traits_that_are_no_numbers() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_heliograph-wire"));
    let output = program.args(["one", "other", "50 fast"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("50 fast"), "{output:?}");
}
