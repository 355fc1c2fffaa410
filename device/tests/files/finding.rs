use std::fs::File;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use heliograph_device::io::files::received::Incoming;
use heliograph_device::io::files::store::Found;
use tempfile::{TempDir, tempdir};

use crate::stage::{Disk, NOW, chunks, incoming, item, sample};

#[test]
fn f7_a_later_run_finds_the_whole_file() {
    let folder = tempdir().unwrap();
    let file = Incoming { modified: Some(1_600_000_000_000), ..incoming("a", 40_000) };
    Disk::at(folder.path()).receives(&file, &sample(40_000));
    let disk = Disk::at(folder.path());
    let found = disk.store.find(&file, NOW).unwrap();
    let Found::Whole { paths, source } = found else { panic!("{found:?}") };
    assert_eq!(paths, [disk.target.path().join("a")]);
    assert_eq!(source.unwrap().read(&disk.open, 0, 40_000).unwrap(), sample(40_000));
}

#[test]
fn a_file_that_the_person_moved_away_or_changed_is_not_found() {
    let changes: [fn(&Disk); 3] = [
        |disk| std::fs::remove_file(disk.path("a")).unwrap(),
        |disk| std::fs::rename(disk.path("a"), disk.path("b")).unwrap(),
        |disk| std::fs::write(disk.path("a"), sample(40_001)).unwrap(),
    ];
    for change in changes {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        disk.receives(&incoming("a", 40_000), &sample(40_000));
        change(&disk);
        assert!(matches!(disk.store.find(&incoming("a", 40_000), NOW), Ok(Found::Nothing)));
    }
}

#[test]
fn a_part_is_found_until_it_is_forgotten() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 40_000), 1);
    disk.store.turn(item(1), true).unwrap();
    let found = disk.store.find(&incoming("a", 40_000), NOW).unwrap();
    let Found::Part(entry) = found else { panic!("{found:?}") };
    assert_eq!(entry.durable(), [chunks(0, 1)]);
    assert!(entry.is_paused);
    assert_eq!(disk.store.unfinished().unwrap(), [entry]);
    disk.store.forget(item(1)).unwrap();
    assert!(matches!(disk.store.find(&incoming("a", 40_000), NOW), Ok(Found::Nothing)));
    assert_eq!(disk.list(), [] as [String; 0]);
}

/// A run that was killed when it was about to give a file of ten bytes the name `a (2)`. `meanwhile` is told of the part and that name.
fn killed_while_placing(meanwhile: impl FnOnce(&Path, &Path)) -> (TempDir, Disk) {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 10), 1);
    let state = folder.path().join("state").join(format!("{}.json", item(1)));
    let entry = std::fs::read_to_string(&state).unwrap();
    let placing = entry.replace(r#"{"receiving":[[0,1]]}"#, r#"{"placing":"a (2)"}"#);
    assert_ne!(entry, placing);
    std::fs::write(&state, placing).unwrap();
    let part = disk.path(&format!(".{}.heliograph-part", item(1)));
    let file = File::options().write(true).open(&part).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_millis(NOW.unsigned_abs())).unwrap();
    meanwhile(&part, &disk.path("a (2)"));
    (folder, disk)
}

#[test]
fn a_run_that_was_killed_while_it_gave_the_name_is_taken_up() {
    let before: fn(&Path, &Path) = |_, _| ();
    let after: fn(&Path, &Path) = |part, name| std::fs::rename(part, name).unwrap();
    // Where a disk gives names in two steps.
    let between: fn(&Path, &Path) = |part, name| std::fs::hard_link(part, name).unwrap();
    let all = [(before, "a"), (after, "a (2)"), (between, "a (2)")];
    let all = if cfg!(unix) { &all[..] } else { &all[..2] };
    for (meanwhile, name) in all {
        let (_folder, disk) = killed_while_placing(meanwhile);
        let found = disk.store.find(&incoming("a", 10), NOW).unwrap();
        let Found::Whole { paths, .. } = found else { panic!("{found:?}") };
        assert_eq!(paths, [disk.target.path().join(name)]);
        assert_eq!(disk.list(), [*name]);
    }
}

#[test]
fn what_somebody_else_has_put_under_the_name_meanwhile_is_not_the_file() {
    let (_folder, disk) = killed_while_placing(|_, name| std::fs::write(name, [7; 10]).unwrap());
    let found = disk.store.find(&incoming("a", 10), NOW).unwrap();
    let Found::Whole { paths, .. } = found else { panic!("{found:?}") };
    assert_eq!(paths, [disk.target.path().join("a")]);
    assert_eq!(std::fs::read(disk.path("a")).unwrap(), sample(10));
    assert_eq!(disk.list(), ["a", "a (2)"]);

    // Also where the person has taken the file away.
    let (_folder, disk) = killed_while_placing(|part, name| {
        std::fs::remove_file(part).unwrap();
        std::fs::write(name, [7; 10]).unwrap();
    });
    assert!(matches!(disk.store.find(&incoming("a", 10), NOW), Ok(Found::Nothing)));
}

#[test]
fn entries_that_cannot_be_read_count_as_none() {
    for bytes in ["", "{", "null", "[1,2]", r#"{"item":1}"#, "\0\0\0\0"] {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        drop(disk.receive(&incoming("a", 10)));
        let state = folder.path().join("state").join(format!("{}.json", item(1)));
        std::fs::write(&state, bytes).unwrap();
        assert!(matches!(disk.store.find(&incoming("a", 10), NOW), Ok(Found::Nothing)));
        assert_eq!(disk.receives(&incoming("a", 10), &sample(10)), ["a"]);
    }
}

#[test]
fn chunks_that_a_file_does_not_have_are_no_part_of_it() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    drop(disk.receive(&incoming("a", 40_000)));
    let state = folder.path().join("state").join(format!("{}.json", item(1)));
    let entry = std::fs::read_to_string(&state).unwrap();
    let far = format!(r#"{{"receiving":[[{0},{0}]]}}"#, u32::MAX);
    std::fs::write(&state, entry.replace(r#"{"receiving":[]}"#, &far)).unwrap();
    assert_eq!(disk.receive(&incoming("a", 40_000)).entry().durable(), []);
}
