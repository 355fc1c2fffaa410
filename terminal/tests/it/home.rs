//! Devices that stay: a folder that is kept in step with a beam, and a machine that receives by itself.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;

use tempfile::{TempDir, tempdir};

use crate::program::{Running, Words, copies, program, random_text};
use crate::server::Server;

struct Stage {
    server: Server,
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { server: Server::start(), folder: tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command of which each run knows what the one before it did under the same name.
    fn runs(&self, name: &str, words: &[&str]) -> Words {
        let state = self.path(&format!("{name}.state"));
        program(words).env("XDG_STATE_HOME", state.to_str().unwrap())
    }

    /// Keeps a folder in step with a beam.
    fn watches(&self, name: &str, link: &str, words: &[&str]) -> Running {
        let folder = self.path(name);
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.to_str().unwrap();
        let words =
            [&["watch", folder, "--json", "--no-direct", "--settle", "0.2"], words].concat();
        self.runs(name, &words).link(link).starts()
    }

    /// Receives into the folder `inbox`.
    fn receives(&self, words: &[&str]) -> Running {
        let (url, inbox) = (self.server.url(), self.path("inbox"));
        let own = ["run", "--json", "--server", &url, "--into", inbox.to_str().unwrap()];
        self.runs("home", &[&own[..], &["--no-direct"], words].concat()).starts()
    }
}

/// The names in a folder, without hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

fn link_of(run: &Running) -> String {
    run.event("beam")["link"].as_str().unwrap().to_owned()
}

#[test]
fn what_appears_in_a_watched_folder_lands_in_the_other_and_is_not_sent_back() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    let one = stage.watches("one", &link, &[]);
    one.event("status");
    let other = stage.watches("other", &link, &[]);
    other.event("status");
    let text = random_text(100_000);
    fs::write(stage.path("one/a.txt"), &text).unwrap();
    assert_eq!(other.event("received")["paths"][0], path_text(&stage.path("other/a.txt")));
    assert_eq!(fs::read_to_string(stage.path("other/a.txt")).unwrap(), text);

    // A folder is one item.
    fs::create_dir_all(stage.path("album/deep")).unwrap();
    fs::write(stage.path("album/deep/b.txt"), "b").unwrap();
    fs::write(stage.path("album/.hidden"), "hidden").unwrap();
    fs::rename(stage.path("album"), stage.path("other/album")).unwrap();
    assert_eq!(one.event("file")["file"], "album", "what came was sent back");
    one.event("received");
    assert_eq!(fs::read_to_string(stage.path("one/album/deep/b.txt")).unwrap(), "b");
    assert!(!stage.path("one/album/.hidden").exists());

    // Nothing is replaced: what comes under a name that is taken gets another one.
    fs::write(stage.path("one/a.txt"), "changed").unwrap();
    other.event("received");
    assert_eq!(fs::read_to_string(stage.path("other/a.txt")).unwrap(), text);
    assert_eq!(names(&stage.path("other")).len(), 3);
    fs::write(stage.path("other/end"), "end").unwrap();
    assert_eq!(one.event("file")["file"], "end", "what came was sent back");
    one.event("received");
    assert_eq!(names(&stage.path("one")), ["a.txt", "album", "end"]);
}

fn path_text(path: &Path) -> String {
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_file_that_is_still_being_written_waits_and_hidden_and_partial_ones_are_left() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    fs::create_dir(stage.path("one")).unwrap();
    fs::write(stage.path("one/was there"), "").unwrap();
    let one = stage.watches("one", &link, &[]);
    one.event("status");
    let mut slow = fs::File::create(stage.path("one/slow")).unwrap();
    slow.write_all(b"half").unwrap();
    fs::write(stage.path("one/.hidden"), "x").unwrap();
    fs::write(stage.path("one/b.part"), "x").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", stage.path("one/link")).unwrap();
    fs::write(stage.path("one/quick"), "x").unwrap();
    assert_eq!(one.event("offered")["file"], "quick");
    // The system tells of the end only there.
    if cfg!(target_os = "linux") {
        fs::write(stage.path("one/quick 2"), "x").unwrap();
        assert_eq!(one.event("offered")["file"], "quick 2");
    }
    slow.write_all(b" and half").unwrap();
    drop(slow);
    let offered = one.event("offered");
    assert_eq!((&offered["file"], &offered["size"]), (&"slow".into(), &13.into()));
    fs::rename(stage.path("one/b.part"), stage.path("one/b")).unwrap();
    assert_eq!(one.event("offered")["file"], "b");
}

#[test]
fn f17_another_run_sends_nothing_twice_and_gives_what_the_first_has_sent() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    fs::create_dir(stage.path("one")).unwrap();
    fs::write(stage.path("one/a"), "first").unwrap();
    let mut one = stage.watches("one", &link, &["--all"]);
    assert_eq!(one.event("offered")["file"], "a");
    one.event("shared");
    one.is_killed();
    fs::write(stage.path("one/b"), "second").unwrap();
    let one = stage.watches("one", &link, &["--all"]);
    assert_eq!(one.event("offered")["file"], "b");
    one.event("shared");
    let into = stage.path("into");
    let receive = ["receive", "--json", "--no-direct", "--wait", "--into", into.to_str().unwrap()];
    program(&receive).link(&link).ends().is(0, "");
    assert_eq!(names(&into), ["a", "b"]);
    assert_eq!(fs::read_to_string(into.join("a")).unwrap(), "first");
}

/// A folder is watched again whose file has been moved away since it was shared. Returns the watch, and a receiver that waits.
fn receives_what_a_watch_has_no_more(stage: &Stage, link: &str) -> (Running, Running) {
    fs::create_dir(stage.path("one")).unwrap();
    fs::write(stage.path("one/a"), "first").unwrap();
    let mut one = stage.watches("one", link, &["--all"]);
    one.event("shared");
    one.is_killed();
    fs::rename(stage.path("one/a"), stage.path("a")).unwrap();
    let one = stage.watches("one", link, &["--all"]);
    one.event("status");
    let into = stage.path("into");
    let receive = ["receive", "--json", "--no-direct", "--wait", "--into", into.to_str().unwrap()];
    let receive = program(&receive).link(link).starts();
    while receive.event("receiving")["state"] != "failed" {}
    (one, receive)
}

#[test]
fn f17_a_receiver_that_waits_goes_on_once_a_watched_folder_has_a_file_again() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    let (mut one, mut receive) = receives_what_a_watch_has_no_more(&stage, &link);
    one.is_killed();
    fs::rename(stage.path("a"), stage.path("one/a")).unwrap();
    let _one = stage.watches("one", &link, &["--all"]);
    receive.event("received");
    assert_eq!(receive.ends(), 0);
    assert_eq!(fs::read_to_string(stage.path("into/a")).unwrap(), "first");
}

#[test]
fn f17_a_receiver_that_waits_ends_where_a_device_does_not_have_a_file_again() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    let (_one, mut receive) = receives_what_a_watch_has_no_more(&stage, &link);
    receive.says("Not received: a (the other device has it no more)");
    assert_eq!(receive.ends(), 1);
}

#[test]
fn two_runs_do_not_watch_one_folder_at_once() {
    let stage = Stage::new();
    let (_copy, link) = copies(&stage.server.url(), b"a text");
    let one = stage.watches("one", &link, &[]);
    one.event("status");
    assert_eq!(stage.watches("one", &link, &[]).ends(), 1);
}

#[test]
fn what_is_shared_into_the_beam_of_a_machine_lands_once() {
    let stage = Stage::new();
    let mut run = stage.receives(&[]);
    let link = link_of(&run);
    run.event("status");
    let shares = |text: &str| {
        program(&["copy", "--text", text]).link(&link).ends().is(0, "");
        run.event("received");
    };
    shares("Oat milk\nlemons");
    shares("https://example.org/a");
    let file = stage.path("a.bin");
    fs::write(&file, random_text(50_000)).unwrap();
    let send = ["send", "--once", "--no-direct", file.to_str().unwrap()];
    program(&send).link(&link).ends().is(0, "");
    run.event("received");
    let inbox = stage.path("inbox");
    assert_eq!(names(&inbox), ["Oat milk.txt", "a.bin", "example.org a.url"]);
    assert_eq!(fs::read(inbox.join("a.bin")).unwrap(), fs::read(&file).unwrap());
    assert_eq!(fs::read_to_string(inbox.join("Oat milk.txt")).unwrap(), "Oat milk\nlemons");

    let kept = stage.path("home.state/heliograph/home/beam.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // A signal ends it in order.
    run.is_interrupted();
    assert_eq!(run.ends(), 130);
    fs::remove_file(inbox.join("Oat milk.txt")).unwrap();
    let run = stage.receives(&[]);
    run.event("status");
    program(&["copy", "--text", "once more"]).link(&link).ends().is(0, "");
    let received = run.event("received");
    assert_eq!(received["paths"][0], path_text(&inbox.join("once more.txt")));
    assert_eq!(names(&inbox), ["a.bin", "example.org a.url", "once more.txt"]);
    let paired = stage.runs("home", &["pair", "--json"]).ends();
    let paired: serde_json::Value = serde_json::from_str(paired.text()).unwrap();
    assert_eq!(paired["link"], link);
}

#[test]
fn e10_the_beam_of_a_machine_is_kept_so_that_its_link_opens_when_nobody_is_there() {
    let stage = Stage::new();
    let url = stage.server.url();
    let mut pair = stage.runs("home", &["pair", "--json", "--server", &url]).starts();
    let link = &link_of(&pair);
    assert_eq!(pair.ends(), 0);
    let mut run = stage.receives(&[]);
    program(&["copy", "--text", "kept"]).link(link).ends().is(0, "");
    run.event("received");
    run.is_killed();
    let paste = program(&["paste"]).link(link).ends();
    paste.is(0, "");
    assert_eq!(paste.text(), "kept");
}

#[test]
fn s19_a_machine_waits_for_its_server_for_ever_and_is_the_same_device_after() {
    let mut stage = Stage::new();
    stage.server.dies();
    let run = stage.receives(&[]);
    assert_eq!(run.event("status")["status"], "reconnecting");
    stage.server.restarts();
    let link = link_of(&run);
    while run.event("status")["status"] != "live" {}
    program(&["copy", "--text", "hello"]).link(&link).ends().is(0, "");
    run.event("received");
    assert_eq!(names(&stage.path("inbox")), ["hello.txt"]);
}

/// Answers the next two requests at the server's address so, as a proxy does for a server that is away.
fn answers(server: &Server, status: &'static str) -> thread::JoinHandle<()> {
    let listener = TcpListener::bind(server.address()).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines();
            lines
                .take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()))
                .for_each(drop);
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
        }
    })
}

#[test]
fn s19_what_stays_waits_also_where_a_proxy_answers_for_a_server_that_is_away() {
    for status in ["404 Not Found", "503 Service Unavailable"] {
        let mut stage = Stage::new();
        let (copy, link) = copies(&stage.server.url(), b"a text");
        drop(copy);
        stage.server.dies();
        let asked = answers(&stage.server, status);
        let watch = stage.watches("one", &link, &[]);
        asked.join().unwrap();
        let asked = answers(&stage.server, status);
        let run = stage.receives(&[]);
        asked.join().unwrap();
        stage.server.restarts();
        while watch.event("status")["status"] != "live" {}
        while run.event("status")["status"] != "live" {}
    }
}

#[test]
fn a_file_that_changes_before_the_server_has_it_is_there_once() {
    let mut stage = Stage::new();
    let (copy, link) = copies(&stage.server.url(), b"a text");
    let one = stage.watches("one", &link, &[]);
    one.event("status");
    fs::write(stage.path("one/first"), "first").unwrap();
    one.event("shared");
    drop(copy);
    stage.server.dies();
    while one.event("status")["status"] != "reconnecting" {}
    let writes = |text: &str| {
        fs::write(stage.path("one/a.txt"), text).unwrap();
        one.event("offered")["id"].clone()
    };
    writes("before");
    let after = writes("changed meanwhile");
    stage.server.restarts();
    while one.event("shared")["id"] != after {}
    fs::write(stage.path("one/end"), "end").unwrap();
    one.event("shared");
    let join = program(&["join", "--stay", "--json"]).link(&link).starts();
    let next = || join.event("file")["file"].as_str().unwrap().to_owned();
    let there: Vec<_> = std::iter::from_fn(|| Some(next()).filter(|name| name != "end")).collect();
    assert_eq!(there, ["first", "a.txt"]);
}
