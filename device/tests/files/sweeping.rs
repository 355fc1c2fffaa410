use heliograph_device::io::files::received::Incoming;
use tempfile::tempdir;

use crate::stage::{DAY, Disk, NOW, incoming, item, sample};

#[test]
fn what_nobody_goes_on_with_is_removed_after_seven_days() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.begins(&incoming("a", 40_000), 1);
    disk.store.sweep(NOW + 7 * DAY).unwrap();
    assert_eq!(disk.list().len(), 1);
    disk.store.sweep(NOW + 7 * DAY + 1).unwrap();
    assert_eq!(disk.list(), [] as [String; 0]);
    disk.store.sweep(NOW + 7 * DAY + 1).unwrap();
    assert_eq!(disk.state(), [] as [String; 0]);
}

#[test]
fn what_a_program_goes_on_with_stays() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    let received = disk.receive(&incoming("a", 40_000));
    Disk::at(folder.path()).store.sweep(NOW + 30 * DAY).unwrap();
    assert_eq!(disk.list().len(), 1);
    drop(received);
}

#[test]
fn a_finished_file_is_never_removed() {
    let folder = tempdir().unwrap();
    let disk = Disk::at(folder.path());
    disk.receives(&incoming("a", 10), &sample(10));
    disk.store.sweep(NOW + 30 * DAY).unwrap();
    disk.store.sweep(NOW + 30 * DAY).unwrap();
    assert_eq!(disk.list(), ["a"]);
    assert_eq!(disk.state(), [] as [String; 0]);
    disk.receives(&Incoming { item: item(2), ..incoming("b", 10) }, &sample(10));
    disk.store.forget(item(2)).unwrap();
    assert_eq!(disk.list(), ["a", "b"]);
}
