//! Names, and the paths under which files are packed and saved.

use std::collections::HashSet;

use heliograph_device::manifest::{Manifest, PackedFile, PlacedFile};
use heliograph_device::names::{MAX_NAME_LENGTH, display_name, length, numbered};
use heliograph_device::pack_paths::{PackPaths, pack_paths};
use heliograph_device::saved_names::NameRules;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;

use super::vectors::cases;

#[derive(Deserialize)]
struct Shown {
    name: String,
    becomes: String,
}

#[test]
fn f24_names_are_shown_as_browsers_show_them_and_stay_so() {
    for Shown { name, becomes: shown } in cases::<Vec<Shown>>("names") {
        assert_eq!(display_name(&name), shown, "{name:?}");
        assert_eq!(display_name(&shown), shown);
    }
}

#[derive(Deserialize)]
struct Numbered {
    name: String,
    number: u32,
    becomes: String,
}

#[test]
fn names_are_numbered_as_browsers_number_them() {
    for case in cases::<Vec<Numbered>>("numbered") {
        assert_eq!(numbered(&case.name, case.number), case.becomes);
    }
}

#[derive(Deserialize)]
struct Paths {
    files: Vec<String>,
    folders: Vec<String>,
}

impl From<Paths> for PackPaths {
    fn from(Paths { files, folders }: Paths) -> Self {
        Self { files, folders }
    }
}

#[derive(Deserialize)]
struct Packed {
    files: Vec<String>,
    folders: Vec<String>,
    becomes: Paths,
}

#[test]
fn f16_paths_are_made_safe_as_browsers_make_them() {
    for case in cases::<Vec<Packed>>("packPaths") {
        assert_eq!(pack_paths(&case.files, &case.folders), case.becomes.into());
    }
}

#[derive(Deserialize)]
struct Saved {
    rules: String,
    files: Vec<String>,
    folders: Vec<String>,
    becomes: Paths,
}

fn manifest(files: &[String], folders: &[String]) -> Manifest {
    let file = |path: &String| PackedFile {
        path: path.clone(),
        size: 0,
        media_type: String::new(),
        modified: 0,
    };
    let files = files.iter().map(|path| PlacedFile { file: file(path), start: 0 }).collect();
    Manifest { files, folders: folders.to_vec() }
}

#[test]
fn f24_files_are_saved_as_browsers_name_them_in_archives() {
    for case in cases::<Vec<Saved>>("savedPaths") {
        let rules = match &*case.rules {
            "exact" => NameRules::Exact,
            "folds" => NameRules::Folds,
            "windows" => NameRules::Windows,
            _ => panic!("{}", case.rules),
        };
        let saved = rules.saved_paths(&manifest(&case.files, &case.folders));
        assert_eq!(saved, case.becomes.into(), "{:?}", case.files);
    }
}

#[test]
fn f24_a_name_that_is_too_long_for_the_disk_is_cut_and_keeps_its_ending() {
    let long = |stem: &str| NameRules::Exact.saved_name(&format!("{stem}.tar.gz"));
    assert_eq!(long(&"ö".repeat(124)), format!("{}.tar.gz", "ö".repeat(124)));
    assert_eq!(long(&"ö".repeat(125)), format!("{}.gz", "ö".repeat(118)));
    assert_eq!(long(&"😀".repeat(100)), format!("{}.gz", "😀".repeat(59)));
    let name = "ö".repeat(127);
    assert_eq!(NameRules::Folds.saved_name(&name), name);
    assert_eq!(NameRules::Folds.numbered(&name, 50_000), format!("{} (50000)", "ö".repeat(120)));
    assert_eq!(NameRules::Windows.saved_name(&name), name);
}

#[test]
fn f24_two_names_that_are_one_after_they_were_cut_stay_two() {
    let files = ["a", "b"].map(|end| format!("{}{end}", "😀".repeat(100)));
    let saved = NameRules::Exact.saved_paths(&manifest(&files, &[]));
    assert_eq!(saved.files, ["😀".repeat(60), format!("{} (2)", "😀".repeat(60))]);
}

#[test]
fn f24_a_name_that_windows_takes_ends_as_it_may_also_where_it_is_cut() {
    let name = format!("con.{}", "x".repeat(251));
    assert_eq!(NameRules::Windows.saved_name(&name), format!("_con.{}", "x".repeat(250)));
    let name = format!("con.{} x", "y".repeat(249));
    assert_eq!(NameRules::Windows.saved_name(&name), format!("_con.{}_", "y".repeat(249)));
}

/// Names that are the same, refused, or cut, once they are clean.
fn name() -> impl Strategy<Value = String> {
    let long = [
        "x".repeat(300),
        format!("{} y", "x".repeat(254)),
        format!("a.{}", "b".repeat(300)),
        format!("{}.tar.gz", "c".repeat(250)),
        "😀".repeat(200),
        "ö".repeat(128),
    ];
    let short = [
        "a.txt",
        "A.TXT",
        "a (2).txt",
        "..",
        " ..",
        ".a",
        "a/b",
        "a\\b",
        "CON",
        "con.txt",
        "a:",
        "a?",
        "b.",
    ];
    let awkward: Vec<_> = long.into_iter().chain(short.map(str::to_owned)).collect();
    prop_oneof![".{0,6}", select(awkward)]
}

proptest! {
    #[test]
    fn f24_a_name_that_is_shown_is_one_part_of_a_path_and_stays_as_it_is(name in ".{0,300}") {
        let shown = display_name(&name);
        prop_assert_eq!(display_name(&shown), &*shown);
        let is_unsafe = shown.contains(['/', '\\', '\0', '\u{1b}', '\u{202e}']);
        prop_assert!(!is_unsafe);
        prop_assert!(!matches!(&*shown, "" | "." | "..") && length(&shown) <= MAX_NAME_LENGTH);
    }

    #[test]
    fn f24_every_file_is_saved_under_a_name_that_its_system_takes_and_none_as_another(
        names in vec(name(), 1..9),
        rules in select(&[NameRules::Exact, NameRules::Folds, NameRules::Windows][..]),
    ) {
        let paths = pack_paths(&names, &[]).files;
        let saved = rules.saved_paths(&manifest(&paths, &[])).files;
        let mut taken = HashSet::new();
        for (path, saved) in paths.iter().zip(&saved) {
            prop_assert_eq!(path.split('/').count(), saved.split('/').count());
            for part in saved.split('/') {
                prop_assert_eq!(display_name(part), part);
                let most = if rules == NameRules::Windows { length(part) } else { part.len() };
                prop_assert!(most <= 255, "{part}");
                let is_refused = part.ends_with(['.', ' ']) || part.contains(['"', '*', ':', '<', '>', '?', '|']);
                prop_assert!(rules != NameRules::Windows || !is_refused, "{part}");
            }
            let key = if rules == NameRules::Exact { saved.clone() } else { saved.to_lowercase() };
            prop_assert!(taken.insert(key), "{saved}");
        }
    }
}
