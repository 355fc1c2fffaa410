use heliograph_device::io::files::received::Incoming;
use heliograph_device::io::files::store::Found;
use tempfile::tempdir;

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

#[test]
fn a_run_that_was_killed_while_it_gave_the_name_is_taken_up() {
    for had_name in [false, true] {
        let folder = tempdir().unwrap();
        let disk = Disk::at(folder.path());
        disk.begins(&incoming("a", 10), 1);
        let state = folder.path().join("state").join(format!("{}.json", item(1)));
        let entry = std::fs::read_to_string(&state).unwrap();
        let placing = entry.replace(r#"{"receiving":[[0,1]]}"#, r#"{"placing":"a (2)"}"#);
        assert_ne!(entry, placing);
        std::fs::write(&state, placing).unwrap();
        if had_name {
            let part = disk.path(&format!(".{}.heliograph-part", item(1)));
            std::fs::rename(part, disk.path("a (2)")).unwrap();
        }
        let found = disk.store.find(&incoming("a", 10), NOW).unwrap();
        let Found::Whole { paths, .. } = found else { panic!("{found:?}") };
        let name = if had_name { "a (2)" } else { "a" };
        assert_eq!(paths, [disk.target.path().join(name)]);
        assert_eq!(disk.list(), [name]);
    }
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
