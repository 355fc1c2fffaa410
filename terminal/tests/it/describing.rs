//! What shells and `man` are told.

use crate::program::program;

#[test]
fn shells_complete_the_words() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = program(&["completions", shell]).ends();
        script.is(0, "");
        assert!(script.text().contains("paste"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command_and_names_the_exit_codes() {
    let page = program(&["man"]).ends();
    assert!(page.text().contains("A terminal or a script in a beam"));
    let folder = tempfile::tempdir().unwrap();
    program(&["man", folder.path().to_str().unwrap()]).ends().is(0, "");
    for name in ["heliograph-device.1", "heliograph-device-copy.1", "heliograph-device-paste.1"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let copy = std::fs::read_to_string(folder.path().join("heliograph-device-copy.1")).unwrap();
    assert!(copy.contains("No device lets this one in"));
}
