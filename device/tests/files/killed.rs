//! A program that is killed in the middle of its work, by starting this one again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::tempdir;

use crate::stage::{Disk, NOW, chunks, incoming, sample};

const CHUNK: usize = 16_384;
const CHUNKS: usize = 200;
const ROOT: &str = "HELIOGRAPH_TEST_KILLED";

/// What the other program does: for each line that it gets, it writes a chunk and enters it.
#[test]
#[ignore = "run by the others"]
fn writes_until_it_is_killed() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let disk = Disk::at(Path::new(&root));
    let bytes = sample(CHUNK * CHUNKS);
    let mut received = disk.receive(&incoming("a", bytes.len() as u64));
    let begun = received.entry().durable().first().map_or(0, |range| range.count);
    println!("\nbegan {begun}");
    for (number, chunk) in (0..).zip(bytes.chunks(CHUNK)).skip(begun as usize) {
        std::io::stdin().lines().next().unwrap().unwrap();
        received.write(u64::from(number) * CHUNK as u64, chunk).unwrap();
        received.keep(&[chunks(0, number + 1)], false, NOW).unwrap();
        println!("wrote {}", number + 1);
    }
    received.finish(NOW).unwrap();
    println!("finished");
}

/// Runs it until it has written so many chunks more, and kills it. Returns how many it had found.
fn killed_after(root: &Path, more: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::writes_until_it_is_killed", "--ignored", "--nocapture"])
        .env(ROOT, root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Two more, so that it is in the middle of something.
    let lines = "\n".repeat(more.saturating_add(2).min(CHUNKS));
    child.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut began = 0;
    let mut wrote = 0;
    for line in lines.map_while(Result::ok) {
        if let Some(found) = line.strip_prefix("began ") {
            began = found.parse().unwrap();
        }
        wrote += usize::from(line.starts_with("wrote "));
        if wrote >= more {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    began
}

#[test]
fn a_program_that_is_killed_again_and_again_finishes_the_file() {
    let folder = tempdir().unwrap();
    let mut least = 0;
    // At 1, 50 and 99 per cent.
    for more in [2, 98, 94] {
        let began = killed_after(folder.path(), more);
        assert!(began >= least, "it had {least} and found {began}");
        least = began + more;
    }
    assert!(killed_after(folder.path(), CHUNKS) >= least);
    let disk = Disk::at(folder.path());
    assert_eq!(std::fs::read(disk.path("a")).unwrap(), sample(CHUNK * CHUNKS));
    assert_eq!(disk.list(), ["a"]);
}
