//! F17: what is remembered of shared files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use heliograph_device::engine::contract::FileSeal;
use heliograph_device::io::files::shared_files::{FilePrint, SharedFiles};
use heliograph_device::io::offering::choose;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_shared::e2ee::envelope::ContentKey;
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::ids::{BeamId, BeamKey, DeviceToken, ItemId};
use tempfile::tempdir;

use crate::stage::{DAY, NOW};

fn beam(number: u8) -> BeamId {
    BeamId::from_random([number; 16])
}

fn token(number: u8) -> DeviceToken {
    DeviceToken::from_random([number; 32])
}

fn item(number: u8) -> ItemId {
    ItemId::from_random([number; 16])
}

const fn print(number: u8) -> FilePrint {
    FilePrint([number; 32])
}

fn seal() -> FileSeal {
    FileSeal { key: Secret::new([7; 32]), salt: [8; 24] }
}

/// A run that shares files with these prints, under items of the same numbers.
fn shares(folder: &Path, prints: &[u8], keys: Option<&Keyring>) -> SharedFiles {
    let seal = keys.map(|_| seal());
    let beam_key = BeamKey::from_random([5; 32]);
    let mut shared = SharedFiles::begin(folder, beam(1), token(1), Some(beam_key)).unwrap();
    for number in prints {
        shared.add(item(*number), print(*number), seal.as_ref());
    }
    writes(&mut shared, keys);
    shared
}

fn writes(shared: &mut SharedFiles, keys: Option<&Keyring>) {
    let token = shared.token().clone();
    if let Some(unwritten) = shared.unwritten(&token, keys, NOW) {
        unwritten.write();
    }
}

fn found(folder: &Path, prints: &[u8], now: i64) -> Option<(SharedFiles, Option<Keyring>)> {
    let prints: Vec<_> = prints.iter().map(|number| print(*number)).collect();
    SharedFiles::find(folder, beam(1), &prints, now).unwrap()
}

#[test]
fn f17_a_later_run_with_the_same_files_is_the_same_device_under_the_same_items() {
    let folder = tempdir().unwrap();
    let keys = Keyring::make(&mut SystemRandom);
    drop(shares(folder.path(), &[1, 2], Some(&keys)));
    let (mut shared, kept) = found(folder.path(), &[2, 3], NOW).unwrap();
    assert_eq!((shared.token(), shared.beam_key().is_some()), (&token(1), true));
    assert_eq!(kept.unwrap().own().public(), keys.own().public());
    let (id, taken) = shared.take(print(2)).unwrap();
    assert_eq!((id, taken.unwrap().key.expose()), (item(2), &[7; 32]));
    assert!(shared.take(print(2)).is_none(), "it was one file");
    assert!(shared.take(print(3)).is_none(), "nobody has shared it");
}

#[test]
fn e15_keys_are_remembered_as_they_are_now_also_where_the_same_one_seals() {
    let folder = tempdir().unwrap();
    let mut keys = Keyring::make(&mut SystemRandom);
    let mut shared = shares(folder.path(), &[1], Some(&keys));
    assert!(shared.unwritten(&token(1), Some(&keys), NOW).is_none(), "nothing has changed");
    // Another device tells of a key that was replaced before this one came.
    let mut told = keys.shared().unwrap();
    let earlier = ContentKey::new(Secret::new([6; 32]));
    told.keys.insert(0, earlier.clone());
    assert!(keys.welcomed(&told, &[], Duration::ZERO, &mut SystemRandom));
    writes(&mut shared, Some(&keys));
    drop(shared);
    let (_, kept) = found(folder.path(), &[1], NOW).unwrap();
    assert!(kept.unwrap().knows(earlier.id()));
}

#[test]
fn s5_what_was_shared_as_a_device_that_another_program_is_now_is_left_to_that() {
    let folder = tempdir().unwrap();
    let mut shared = shares(folder.path(), &[1], None);
    shared.unwritten(&token(2), None, NOW).unwrap().write();
    shared.add(item(2), print(2), None);
    shared.unwritten(&token(2), None, NOW).unwrap().write();
    drop(shared);
    assert!(found(folder.path(), &[1], NOW).is_none());
    let (shared, _) = found(folder.path(), &[2], NOW).unwrap();
    assert_eq!(shared.token(), &token(2));
}

#[test]
fn f17_what_is_written_late_takes_the_place_of_nothing_newer() {
    let folder = tempdir().unwrap();
    let mut shared = shares(folder.path(), &[1], None);
    shared.add(item(2), print(2), None);
    let early = shared.unwritten(&token(1), None, NOW).unwrap();
    shared.add(item(3), print(3), None);
    shared.unwritten(&token(1), None, NOW).unwrap().write();
    early.write();
    shared.add(item(4), print(4), None);
    let late = shared.unwritten(&token(1), None, NOW).unwrap();
    let copied = tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, copied.path().join(path.file_name().unwrap())).unwrap();
    }
    let (mut kept, _) = found(copied.path(), &[3], NOW).unwrap();
    assert!(kept.take(print(3)).is_some());
    shared.done();
    late.write();
    assert!(found(folder.path(), &[1], NOW).is_none(), "it was forgotten");
}

#[test]
fn what_opens_a_shared_file_is_shown_in_no_log() {
    let folder = tempdir().unwrap();
    let keys = Keyring::make(&mut SystemRandom);
    let shown = format!("{:?}", shares(folder.path(), &[1], Some(&keys)));
    assert!(shown.contains(&item(1).to_string()));
    // The key of the file, as base64url.
    assert!(!shown.contains("BwcHBw"), "{shown}");
}

#[test]
fn f17_what_another_beam_or_another_run_has_is_left_alone() {
    let folder = tempdir().unwrap();
    let shared = shares(folder.path(), &[1], None);
    assert!(found(folder.path(), &[1], NOW).is_none(), "that run goes on");
    drop(shared);
    assert!(SharedFiles::find(folder.path(), beam(2), &[print(1)], NOW).unwrap().is_none());
    assert!(found(folder.path(), &[2], NOW).is_none());
    assert!(found(folder.path(), &[1], NOW).is_some());
}

#[test]
fn f17_of_two_runs_that_were_ended_the_one_with_more_of_the_files_goes_on() {
    let folder = tempdir().unwrap();
    drop((shares(folder.path(), &[1], None), shares(folder.path(), &[1, 2], None)));
    let (mut shared, _) = found(folder.path(), &[1, 2], NOW).unwrap();
    assert!(shared.take(print(2)).is_some());
}

#[test]
fn f17_what_is_done_or_gone_or_a_week_old_is_forgotten() {
    let folder = tempdir().unwrap();
    shares(folder.path(), &[1], None).done();
    assert!(found(folder.path(), &[1], NOW).is_none());

    let mut shared = shares(folder.path(), &[1], None);
    shared.forget(item(1));
    writes(&mut shared, None);
    drop(shared);
    assert!(found(folder.path(), &[1], NOW).is_none());

    drop(shares(folder.path(), &[1], None));
    assert!(found(folder.path(), &[1], NOW + 8 * DAY).is_none());
    assert!(found(folder.path(), &[1], NOW).is_none());
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_what_is_remembered() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempdir().unwrap();
    let folder = root.path().join("shared");
    let _shared = shares(&folder, &[1], Some(&Keyring::make(&mut SystemRandom)));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let entries = std::fs::read_dir(&folder).unwrap();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(paths.iter().any(|path| path.extension().is_some_and(|end| end == "json")));
    for path in paths {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn f1_a_file_that_was_written_since_is_another_one() {
    let folder = tempdir().unwrap();
    let (file, album) = (folder.path().join("a"), folder.path().join("album"));
    std::fs::create_dir(&album).unwrap();
    let write = |text: &str, second: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        for path in [&file, &album.join("b")] {
            std::fs::write(path, text).unwrap();
            std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }
    };
    let prints = || {
        let chosen = choose(&[file.clone(), album.clone()], |_| String::new());
        chosen.files.iter().map(|file| file.print().0).collect::<Vec<_>>()
    };
    write("one", 1);
    let first = prints();
    assert_eq!(first, prints());
    // Where the system tells when a file was written, also one whose time was set back.
    let others: &[_] = if cfg!(unix) { &[("two", 1), ("one", 2)] } else { &[("one", 2)] };
    for (text, second) in others {
        write(text, *second);
        let other = prints();
        assert!(first.iter().all(|print| !other.contains(print)), "{text}, {second}");
    }
}
