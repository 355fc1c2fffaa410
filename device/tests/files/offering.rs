use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use heliograph_device::io::files::error::FileError;
use heliograph_device::io::files::packed::packed_sources;
use heliograph_device::io::files::source_file::OpenFiles;
use heliograph_device::io::files::walk::{WhyLeftOut, walk};
use heliograph_device::io::offering::choose;
use heliograph_device::manifest::Manifest;
use tempfile::tempdir;

use crate::stage::{named, sample};

#[test]
fn an_offered_file_is_read_by_ranges() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, sample(100_000)).unwrap();
    let (source, open) = (named(&path).unwrap(), OpenFiles::default());
    assert_eq!(source.size(), 100_000);
    assert_eq!(source.read(&open, 50_000, 50_000).unwrap(), sample(100_000)[50_000..]);
    assert_eq!(source.read(&open, 0, 10).unwrap(), sample(10));
    assert!(source.read(&open, 99_999, 2).is_err());
    assert!(source.read(&open, u64::MAX, 1).is_err());
}

#[test]
fn f17_a_file_that_changed_is_not_read_any_more() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a");
    let changes: [fn(&Path); 4] = [
        |path| std::fs::write(path, sample(99)).unwrap(),
        |path| std::fs::write(path, sample(101)).unwrap(),
        |path| {
            // Of the same length, at another time.
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        },
        |path| {
            std::fs::remove_file(path).unwrap();
            std::fs::create_dir(path).unwrap();
        },
    ];
    for change in changes {
        let _ = std::fs::remove_dir(&path);
        std::fs::write(&path, sample(100)).unwrap();
        let (source, open) = (named(&path).unwrap(), OpenFiles::default());
        source.read(&open, 0, 100).unwrap();
        change(&path);
        open.forget(&source);
        assert!(source.read(&open, 0, 99).is_err());
    }
}

#[test]
fn f17_a_file_that_changes_while_it_is_open_is_noticed() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, sample(100)).unwrap();
    let (source, open) = (named(&path).unwrap(), OpenFiles::default());
    source.read(&open, 0, 50).unwrap();
    std::fs::write(&path, sample(200)).unwrap();
    assert!(matches!(source.read(&open, 0, 50), Err(FileError::Changed)));
}

#[cfg(unix)]
#[test]
fn special_files_are_refused_and_nothing_waits_for_them() {
    let folder = tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [&*pipe, &*socket, Path::new("/dev/null"), Path::new("/dev/tty"), folder.path()] {
        assert!(named(path).is_err(), "{}", path.display());
    }
    let missing = named(&folder.path().join("missing"));
    assert!(matches!(missing, Err(FileError::Gone)));
    assert!(matches!(named(&pipe), Err(FileError::Special)));
}

#[cfg(target_os = "linux")]
#[test]
fn many_files_of_a_folder_that_are_named_one_by_one_take_one_descriptor() {
    let folder = tempdir().unwrap();
    let paths: Vec<_> = (0..100).map(|number| folder.path().join(number.to_string())).collect();
    for path in &paths {
        std::fs::write(path, "a").unwrap();
    }
    let chosen = choose(&paths, |_| String::new());
    assert_eq!(chosen.files.len(), 100);
    let open = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok);
    let top = folder.path().canonicalize().unwrap();
    let of_folder = open.filter(|open| std::fs::read_link(open.path()).is_ok_and(|to| to == top));
    assert_eq!(of_folder.count(), 1);
}

#[test]
fn a_sparse_file_is_read_as_zeros() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sparse");
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let (source, open) = (named(&path).unwrap(), OpenFiles::default());
    assert_eq!(source.read(&open, 1 << 39, 100).unwrap(), [0; 100]);
}

#[cfg(unix)]
#[test]
fn f16_a_folder_is_walked_and_links_are_left_out() {
    use std::os::unix::fs::symlink;
    let folder = tempdir().unwrap();
    let top = folder.path().join("photos");
    std::fs::create_dir_all(top.join("2024/empty")).unwrap();
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    std::fs::write(top.join("b.txt"), "b").unwrap();
    std::fs::write(top.join("2024/a.txt"), "a").unwrap();
    symlink("../secret", top.join("out")).unwrap();
    symlink(".", top.join("circle")).unwrap();
    symlink("b.txt", top.join("inside")).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(top.join("socket")).unwrap();
    let walked = walk(&[top]).unwrap();
    let paths: Vec<_> = walked.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["photos/2024/a.txt", "photos/b.txt"]);
    assert_eq!(walked.empty_folders, ["photos/2024/empty"]);
    let mut left_out: Vec<_> = walked
        .left_out
        .iter()
        .map(|left| (&*left.path, matches!(left.why, WhyLeftOut::Link)))
        .collect();
    left_out.sort_unstable();
    let expected = [
        ("photos/circle", true),
        ("photos/inside", true),
        ("photos/out", true),
        ("photos/socket", false),
    ];
    assert_eq!(left_out, expected);
}

#[test]
fn f16_many_files_are_read_as_one_item() {
    let folder = tempdir().unwrap();
    let top = folder.path().join("many");
    std::fs::create_dir_all(top.join("deep/er")).unwrap();
    for number in 0..200 {
        let path = top.join(format!("{number:03}"));
        std::fs::write(path, sample(number * 37)).unwrap();
    }
    std::fs::write(top.join("deep/er/last"), "last").unwrap();
    let walked = walk(std::slice::from_ref(&top)).unwrap();
    let packs = packed_sources(&walked, |_| "text/plain".to_owned(), true);
    let [pack] = &*packs else { panic!("one item") };
    let (facts, open) = (pack.facts(), OpenFiles::default());
    let length = usize::try_from(pack.size()).unwrap();
    let all = pack.read(&open, 0, length).unwrap();
    let manifest_bytes = &all[..usize::try_from(facts.bytes).unwrap()];
    let manifest = Manifest::read(manifest_bytes, &facts, pack.size()).unwrap();
    assert_eq!(manifest.files.len(), 201);
    for placed in &manifest.files {
        let start = usize::try_from(placed.start).unwrap();
        let bytes = &all[start..start + usize::try_from(placed.file.size).unwrap()];
        assert_eq!(bytes, std::fs::read(folder.path().join(&placed.file.path)).unwrap());
    }
    // However it is cut.
    for part in [1_000, 4_096, 16_384] {
        let parts = (0..length).step_by(part);
        let read =
            parts.flat_map(|from| pack.read(&open, from as u64, part.min(length - from)).unwrap());
        assert!(read.eq(all.iter().copied()));
    }
    std::fs::write(top.join("150"), "changed").unwrap();
    assert!(pack.read(&open, 0, length).is_err(), "F17");
    assert!(pack.read(&open, pack.size(), 1).is_err());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_left_out() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempdir().unwrap();
    let closed = folder.path().join("top/closed");
    std::fs::create_dir_all(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let walked = walk(&[folder.path().join("top")]).unwrap();
    assert!(matches!(walked.left_out[0].why, WhyLeftOut::Unreadable(FileError::NoAccess)));
}

#[cfg(target_os = "linux")]
#[test]
fn f24_names_that_are_no_text_are_shared_under_safe_ones() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9\n.txt");
    std::fs::write(folder.path().join(name), "x").unwrap();
    let walked = walk(&[folder.path().to_owned()]).unwrap();
    let packs = packed_sources(&walked, |_| String::new(), true);
    let all = packs[0].read(&OpenFiles::default(), 0, packs[0].size() as usize).unwrap();
    let manifest =
        Manifest::read(&all[..packs[0].facts().bytes as usize], &packs[0].facts(), packs[0].size())
            .unwrap();
    assert!(manifest.files[0].file.path.ends_with("caf\u{fffd}_.txt"));
}
