//! Many files as one item: what is read, and what is not believed.

use heliograph_device::manifest::{
    MAX_MANIFEST_BYTES, MAX_PACKED_FILES, Manifest, ManifestFacts, PackedFile, packs_of,
    write_manifest,
};
use heliograph_device::names::display_name;
use heliograph_device::pack_paths::pack_paths;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::vectors::cases;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    name: String,
    text: String,
    files: u64,
    size: u64,
    read: Option<Read>,
    #[serde(default)]
    is_written: bool,
}

#[derive(Deserialize)]
struct Read {
    files: Vec<ReadFile>,
    folders: Vec<String>,
}

#[derive(Deserialize)]
struct ReadFile {
    start: u64,
    #[serde(flatten)]
    file: PackedFile,
}

fn facts(files: usize, bytes: &[u8]) -> ManifestFacts {
    ManifestFacts { files: files as u64, bytes: bytes.len() as u64, folder: None }
}

#[test]
fn f16_a_manifest_is_read_written_and_refused_as_browsers_do() {
    for case in cases::<Vec<Case>>("manifests") {
        let said = ManifestFacts { files: case.files, ..facts(0, case.text.as_bytes()) };
        let read = Manifest::read(case.text.as_bytes(), &said, case.size);
        let Some(expected) = case.read else {
            assert_eq!(read, None, "{}", case.name);
            continue;
        };
        let read = read.unwrap_or_else(|| panic!("{}", case.name));
        assert_eq!(read.folders, expected.folders, "{}", case.name);
        let placed: Vec<_> = expected.files.iter().map(|one| (one.start, &one.file)).collect();
        let found: Vec<_> = read.files.iter().map(|one| (one.start, &one.file)).collect();
        assert_eq!(found, placed, "{}", case.name);
        if case.is_written {
            let files: Vec<_> = read.files.into_iter().map(|placed| placed.file).collect();
            assert_eq!(
                write_manifest(&files, &read.folders),
                case.text.as_bytes(),
                "{}",
                case.name
            );
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    facts: Value,
    size: f64,
    is_read: bool,
}

#[test]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sizes are whole")]
fn f16_what_a_message_says_of_a_manifest_is_believed_within_its_bounds() {
    for Told { facts, size, is_read } in cases::<Vec<Told>>("facts") {
        assert_eq!(ManifestFacts::parse(&facts, size as u64).is_some(), is_read, "{facts}");
    }
    let said = ManifestFacts { files: 3, bytes: 90, folder: Some(true) };
    assert_eq!(ManifestFacts::parse(&serde_json::to_value(said).unwrap(), 90), Some(said));
}

fn file(path: &str) -> PackedFile {
    PackedFile { path: path.to_owned(), size: 1, media_type: String::new(), modified: 0 }
}

/// What is read of the manifest of such files, each of one byte.
fn read(files: &[PackedFile], folders: &[String]) -> Option<Manifest> {
    let bytes = write_manifest(files, folders);
    let size = bytes.len() as u64 + files.iter().map(|file| file.size).sum::<u64>();
    Manifest::read(&bytes, &facts(files.len(), &bytes), size)
}

#[test]
fn f16_a_manifest_of_other_bytes_or_of_a_million_entries_is_refused_by_its_number_alone() {
    let bytes = write_manifest(&[file("a")], &[]);
    let size = bytes.len() as u64 + 1;
    assert!(Manifest::read(&bytes, &facts(1, &bytes), size).is_some());
    assert_eq!(
        Manifest::read(&bytes, &ManifestFacts { bytes: size, ..facts(1, &bytes) }, size),
        None
    );
    // None of these is a file, and the bytes are no UTF-8.
    for bytes in
        [format!(r#"{{"files":[{}0]}}"#, "0,".repeat(999_999)).into_bytes(), vec![0xff; 30]]
    {
        assert_eq!(Manifest::read(&bytes, &facts(1, &bytes), bytes.len() as u64), None);
    }
    let numbers: Vec<_> = (0..=MAX_PACKED_FILES).map(|number| number.to_string()).collect();
    assert!(read(&[], &numbers[1..]).is_some());
    assert_eq!(read(&[], &numbers), None);
    assert_eq!(read(&[file("a")], &numbers[1..]), None);
    let files: Vec<_> = numbers.iter().map(|number| file(number)).collect();
    assert!(read(&files[1..], &[]).is_some());
    assert_eq!(read(&files, &[]), None);
}

#[test]
fn f16_a_manifest_of_more_than_8_mib_is_refused() {
    let of = |length: usize| {
        let mut bytes = write_manifest(&[file("a")], &[]);
        bytes.resize(length, b' ');
        Manifest::read(&bytes, &facts(1, &bytes), length as u64 + 1)
    };
    let most = usize::try_from(MAX_MANIFEST_BYTES).unwrap();
    assert!(of(most).is_some());
    assert_eq!(of(most + 1), None);
}

#[test]
fn f16_a_manifest_that_means_more_folders_than_a_hundred_thousand_is_not_believed() {
    // So many files, each in 63 folders of its own.
    let deep: Vec<_> = (0..4_000).map(|at| file(&format!("{at}/{}f", "d/".repeat(62)))).collect();
    assert!(read(&deep[..1_587], &[]).is_some());
    assert_eq!(read(&deep[..1_588], &[]), None);
    // What is packed here is divided before it means as many.
    let packs = packs_of(&deep, &[]);
    assert_eq!(packs.iter().map(|pack| pack.files.len()).collect::<Vec<_>>(), [1_587, 1_587, 826]);
    assert!(packs.iter().all(|pack| read(pack.files, pack.folders).is_some()));
}

#[test]
fn f16_files_stay_together_as_far_as_the_bounds_of_a_manifest_allow() {
    let many: Vec<_> = (0..=MAX_PACKED_FILES).map(|at| file(&at.to_string())).collect();
    let counts = |files: &[PackedFile], folders: &[String]| {
        packs_of(files, folders)
            .iter()
            .map(|pack| (pack.folders.len(), pack.files.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&many[..1_000], &[]), [(0, 1_000)]);
    assert_eq!(counts(&many, &[]), [(0, MAX_PACKED_FILES), (0, 1)]);
    let folders: Vec<_> = (1..MAX_PACKED_FILES).map(|at| format!("leer/{at}")).collect();
    assert_eq!(counts(&many[..2], &folders), [(MAX_PACKED_FILES - 1, 1), (0, 1)]);
    assert_eq!(counts(&[], &[]), []);
}

#[test]
fn f16_files_with_long_names_are_divided_by_the_bytes_of_their_manifests() {
    let long: Vec<_> = (0..20_000).map(|at| file(&format!("{at} {}", "ö".repeat(240)))).collect();
    let packs = packs_of(&long, &[]);
    assert_eq!(packs.len(), 2);
    assert_eq!(packs.iter().map(|pack| pack.files.len()).sum::<usize>(), long.len());
    for pack in packs {
        assert!(write_manifest(pack.files, pack.folders).len() as u64 <= MAX_MANIFEST_BYTES);
    }
}

fn any_files() -> impl Strategy<Value = Vec<PackedFile>> {
    let path = vec(".{0,20}".prop_map(|name| display_name(&name)), 1..5);
    let one = (path, 0..1_u64 << 40, ".{0,40}", -(1_i64 << 53) + 1..1 << 53);
    let one = one.prop_map(|(parts, size, media_type, modified)| PackedFile {
        path: parts.join("/"),
        size,
        media_type,
        modified,
    });
    vec(one, 1..40).prop_map(|mut files| {
        let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
        for (file, path) in files.iter_mut().zip(pack_paths(&paths, &[]).files) {
            file.path = path;
        }
        files
    })
}

proptest! {
    #[test]
    fn f16_a_manifest_is_read_as_it_was_written_with_each_file_behind_the_one_before(files in any_files()) {
        let read = read(&files, &[]).unwrap();
        let mut end = write_manifest(&files, &[]).len() as u64;
        for placed in &read.files {
            prop_assert_eq!(placed.start, end);
            end += placed.file.size;
        }
        prop_assert_eq!(read.files.into_iter().map(|placed| placed.file).collect::<Vec<_>>(), files);
    }

    #[test]
    fn f16_bytes_that_are_no_manifest_are_never_read_as_one(bytes in vec(any::<u8>(), 0..200), size: u64) {
        prop_assert_eq!(Manifest::read(&bytes, &facts(1, &bytes), size), None);
    }

    #[test]
    fn f16_a_manifest_of_which_a_byte_is_another_is_read_only_within_its_item(
        files in any_files(),
        at: usize,
        byte: u8,
    ) {
        let mut bytes = write_manifest(&files, &[]);
        let size = bytes.len() as u64 + files.iter().map(|file| file.size).sum::<u64>();
        let place = at % bytes.len();
        bytes[place] = byte;
        if let Some(read) = Manifest::read(&bytes, &facts(files.len(), &bytes), size) {
            let last = read.files.last().unwrap();
            prop_assert_eq!(last.start + last.file.size, size);
            for part in read.files.iter().flat_map(|placed| placed.file.path.split('/')) {
                prop_assert_eq!(display_name(part), part);
            }
        }
    }
}
