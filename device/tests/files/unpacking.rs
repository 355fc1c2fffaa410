use std::path::Path;

use heliograph_device::io::files::packed::packed_sources;
use heliograph_device::io::files::source_file::OpenFiles;
use heliograph_device::io::files::store::Found;
use heliograph_device::io::files::walk::walk;
use heliograph_device::manifest::{ManifestFacts, PackedFile, write_manifest};
use tempfile::tempdir;

use crate::stage::{Disk, NOW, incoming_pack, list, names_of, sample};

/// The bytes of an item, and what its message says of them.
fn pack_of(files: &[(&str, &[u8])], folders: &[&str]) -> (ManifestFacts, Vec<u8>) {
    let described = |(path, bytes): &(&str, &[u8])| PackedFile {
        path: (*path).to_owned(),
        size: bytes.len() as u64,
        media_type: String::new(),
        modified: 1_600_000_000_000,
    };
    let listed: Vec<_> = files.iter().map(described).collect();
    let folders: Vec<_> = folders.iter().map(|folder| (*folder).to_owned()).collect();
    let mut all = write_manifest(&listed, &folders);
    let facts = ManifestFacts { files: files.len() as u64, bytes: all.len() as u64, folder: None };
    for (_, bytes) in files {
        all.extend_from_slice(bytes);
    }
    (facts, all)
}

#[test]
fn f16_a_folder_arrives_as_it_was() {
    let folder = tempdir().unwrap();
    let top = folder.path().join("photos");
    std::fs::create_dir_all(top.join("empty/er")).unwrap();
    std::fs::create_dir_all(top.join("2024")).unwrap();
    for number in 0..300 {
        std::fs::write(top.join(format!("2024/{number}")), sample(number * 100)).unwrap();
    }
    let packs = packed_sources(&walk(std::slice::from_ref(&top)).unwrap(), |_| String::new(), true);
    let pack = &packs[0];
    let all = pack.read(&OpenFiles::default(), 0, pack.size() as usize).unwrap();

    let disk = Disk::at(folder.path());
    let incoming = incoming_pack(pack.facts(), pack.size());
    let mut received = disk.receive(&incoming);
    received.write(0, &all).unwrap();
    let paths = received.finish(NOW).unwrap();
    assert_eq!(names_of(paths), ["photos"]);
    assert_eq!(list(&disk.path("photos")), list(&top));
    for number in [0, 1, 299] {
        let name = format!("2024/{number}");
        let there = std::fs::read(disk.path("photos").join(&name)).unwrap();
        assert_eq!(there, std::fs::read(top.join(&name)).unwrap());
    }
    assert_eq!(disk.list().iter().filter(|name| name.starts_with('.')).count(), 0);
    // And can be given to others as it came.
    assert_eq!(received.read(&disk.open, 0, all.len()).unwrap(), all);
}

#[test]
fn f16_what_is_in_the_folder_stays_beside_what_comes() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    std::fs::create_dir(disk.path("a")).unwrap();
    std::fs::write(disk.path("a/mine"), "mine").unwrap();
    std::fs::write(disk.path("b"), "mine").unwrap();
    let (facts, all) = pack_of(&[("a/new", b"1"), ("b", b"22"), ("c", b"")], &["d/e"]);
    let mut received = disk.receive(&incoming_pack(facts, all.len() as u64));
    received.write(0, &all).unwrap();
    assert_eq!(names_of(received.finish(NOW).unwrap()), ["a (2)", "b (2)", "c", "d"]);
    assert_eq!(disk.list(), ["a", "a (2)", "a (2)/new", "a/mine", "b", "b (2)", "c", "d", "d/e"]);
    assert_eq!(received.read(&disk.open, 0, all.len()).unwrap(), all);
}

#[cfg(unix)]
#[test]
fn f16_a_link_in_the_way_of_a_folder_leads_nowhere() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let outside = folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, disk.path("a")).unwrap();
    let (facts, all) = pack_of(&[("a/b", b"1")], &[]);
    let mut received = disk.receive(&incoming_pack(facts, all.len() as u64));
    received.write(0, &all).unwrap();
    assert_eq!(names_of(received.finish(NOW).unwrap()), ["a (2)"]);
    assert_eq!(list(&outside), [] as [String; 0]);
}

#[test]
fn f16_a_list_that_breaks_a_rule_is_one_file() {
    for path in ["../escape", "/etc/x", "a/../../b", "a//b", ".", "a\\b", "a\0"] {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        let (facts, all) = pack_of(&[(path, b"1")], &[]);
        let mut received = disk.receive(&incoming_pack(facts, all.len() as u64));
        received.write(0, &all).unwrap();
        assert_eq!(names_of(received.finish(NOW).unwrap()), ["many"]);
        assert_eq!(std::fs::read(disk.path("many")).unwrap(), all);
        assert_eq!(disk.list(), ["many"]);
    }
}

#[test]
fn f24_names_that_differ_by_case_both_arrive() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let (facts, all) = pack_of(&[("d/Aa", b"1"), ("d/aA", b"22"), ("d/a:b", b"3")], &[]);
    let mut received = disk.receive(&incoming_pack(facts, all.len() as u64));
    received.write(0, &all).unwrap();
    received.finish(NOW).unwrap();
    let sizes: u64 = list(&disk.path("d"))
        .iter()
        .map(|name| std::fs::metadata(disk.path("d").join(name)).unwrap().len())
        .sum();
    assert_eq!(sizes, 4);
    assert_eq!(received.read(&disk.open, 0, all.len()).unwrap(), all);
}

#[test]
fn a_run_that_was_interrupted_while_it_unpacked_is_taken_up() {
    // After each number of files that an earlier run may have left.
    for left in 0..=3 {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        let files: [(&str, &[u8]); 3] = [("a/1", b"1"), ("a/2", b""), ("a/3", b"333")];
        let (facts, all) = pack_of(&files, &[]);
        let incoming = incoming_pack(facts, all.len() as u64);
        let mut received = disk.receive(&incoming);
        received.write(0, &all).unwrap();
        received.keep(&[incoming.size.chunks()], false, NOW).unwrap();
        drop(received);
        let own = disk.path(&format!(".{}.heliograph-unpacked", incoming.item));
        std::fs::create_dir_all(own.join("files/a")).unwrap();
        for (path, bytes) in files.into_iter().skip(left) {
            std::fs::write(own.join("files").join(path), bytes).unwrap();
        }
        // What was half written when it ended.
        if left > 0 {
            std::fs::write(own.join("files/a").join(left.to_string()), "half of it").unwrap();
        }
        let entry = std::fs::read_to_string(state_of(folder.path(), incoming.item)).unwrap();
        let entry = entry.replace(
            r#""stage":{"receiving":[[0,1]]}"#,
            &format!(r#""stage":{{"unpacking":{left}}}"#),
        );
        std::fs::write(state_of(folder.path(), incoming.item), entry).unwrap();

        let later = Disk::at(folder.path());
        let found = later.store.find(&incoming, NOW).unwrap();
        let Found::Whole { source, .. } = found else { panic!("{found:?}") };
        assert_eq!(later.list(), ["a", "a/1", "a/2", "a/3"]);
        let read = source.unwrap().read(&later.open, 0, all.len()).unwrap();
        assert_eq!(read, all);
    }
}

fn state_of(root: &Path, item: heliograph_shared::ids::ItemId) -> std::path::PathBuf {
    root.join("state").join(format!("{item}.json"))
}
