//! Dependencies between modules: the server's folders use only those before them (`signal/src/lib.rs`), and no crate
//! has modules that use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::bucket::files_in;

/// The server's folders and modules. Each row may use the rows before it, and its own.
const ORDER: [&[&str]; 13] = [
    &[
        "error",
        "clock",
        "tally",
        "random",
        "network",
        "tcp",
        "address",
        "limit",
        "limits",
        "size",
        "quota",
        "pace",
        "budget",
        "paced_body",
        "health",
        "log",
        "multipart",
    ],
    &["ice", "https"],
    &["bus"],
    &["live"],
    &["people"],
    &["files"],
    &["config"],
    &["connections"],
    &["app"],
    &["edge"],
    &["start"],
    &["operate", "doctor"],
    &["program"],
];

/// The files of a crate by module path (`edge::routes::notes`; the root is empty), and the modules that each uses.
struct Crate {
    files: BTreeMap<String, PathBuf>,
    uses: BTreeMap<String, BTreeSet<String>>,
}

impl Crate {
    fn read(name: &str) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let mut files = BTreeMap::new();
        for file in files_in(&source) {
            let path = file.strip_prefix(&source).unwrap().to_owned();
            let module = path.with_extension("").to_str().unwrap().replace('/', "::");
            let module = module.strip_suffix("mod").map_or(&*module, |m| m.trim_end_matches("::"));
            // Programs start at the library's root; test modules may use anything.
            if module != "main" && !module.contains("_tests") {
                files.insert(if module == "lib" { "" } else { module }.to_owned(), path);
            }
        }
        let mut uses = BTreeMap::new();
        for (module, path) in &files {
            let text = code_of(&fs::read_to_string(source.join(path)).unwrap());
            let owners = paths(&text, module).into_iter().map(|path| owner(&files, &path));
            uses.insert(module.clone(), owners.filter(|owner| owner != module).collect());
        }
        Self { files, uses }
    }

    /// All modules that a module reaches.
    fn reach<'a>(&'a self, from: &'a str) -> BTreeSet<&'a str> {
        let (mut found, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            next.extend(self.uses[module].iter().map(|m| &**m).filter(|m| found.insert(*m)));
        }
        found
    }

    /// The groups of modules that use each other.
    fn circles(&self) -> BTreeSet<Vec<&str>> {
        let reach: BTreeMap<_, _> =
            self.files.keys().map(|module| (&**module, self.reach(module))).collect();
        let in_circles = reach.iter().filter(|(module, reached)| reached.contains(*module));
        in_circles
            .map(|(module, reached)| {
                reached.iter().filter(|other| reach[*other].contains(module)).copied().collect()
            })
            .collect()
    }
}

/// The code without comments, and without the tests at its end.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join(" ")
}

/// Every path into the crate: `use crate::a::{b, c::d}`, `super::e`, and the like inside code.
fn paths(code: &str, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
        if code[..start].ends_with(is_word) {
            continue;
        }
        let (mut rest, mut base) = (&code[start..], String::new());
        if let Some(inside) = rest.strip_prefix("crate::") {
            rest = inside;
        } else {
            module.clone_into(&mut base);
            while let Some(above) = rest.strip_prefix("super::") {
                base = base.rsplit_once("::").map_or("", |(above, _)| above).to_owned();
                rest = above;
            }
        }
        expand(&base, rest, &mut found);
    }
    found
}

/// Adds the paths of one use tree, and returns the text after it.
fn expand<'a>(base: &str, mut rest: &'a str, found: &mut Vec<String>) -> &'a str {
    let join =
        |name: &str| if base.is_empty() { name.to_owned() } else { format!("{base}::{name}") };
    if let Some(mut inside) = rest.strip_prefix('{') {
        loop {
            inside = expand(base, inside.trim_start(), found).trim_start();
            match inside.strip_prefix(',') {
                Some(next) => inside = next.trim_start(),
                None => return inside.strip_prefix('}').unwrap_or(inside),
            }
            if let Some(end) = inside.strip_prefix('}') {
                return end;
            }
        }
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    rest = &rest[end..];
    if let Some(next) = rest.strip_prefix("::").filter(|_| !name.is_empty()) {
        return expand(&join(name), next, found);
    }
    found.push(join(name));
    match rest.strip_prefix(" as ") {
        Some(alias) => alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => rest.strip_prefix('*').unwrap_or(rest),
    }
}

/// The module that a path leads to: its longest prefix that is a module.
fn owner(files: &BTreeMap<String, PathBuf>, path: &str) -> String {
    let mut module = path;
    while !files.contains_key(module) {
        module = module.rsplit_once("::").map_or("", |(above, _)| above);
    }
    module.to_owned()
}

fn rank(module: &str) -> Option<usize> {
    let top = module.split("::").next().unwrap();
    ORDER.iter().position(|row| row.contains(&top))
}

#[test]
fn the_folders_of_the_server_use_only_those_before_them() {
    let server = Crate::read("signal");
    let mut climbing = BTreeSet::new();
    for (module, used) in &server.uses {
        if module.is_empty() {
            continue;
        }
        let own = rank(module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        for used in used.iter().filter(|used| rank(used).is_some_and(|rank| rank > own)) {
            let top = used.split("::").next().unwrap().to_owned();
            climbing.insert((server.files[module].to_str().unwrap().to_owned(), top));
        }
    }
    assert_eq!(climbing, BTreeSet::new());
}

#[test]
fn the_server_knows_nothing_of_the_device_that_its_program_has_too() {
    let files = Crate::read("signal").files;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let uses = |path: &&PathBuf| {
        let text = fs::read_to_string(source.join(path)).unwrap();
        text.contains("heliograph_terminal::") || text.contains("heliograph_device::")
    };
    let found: Vec<_> = files.values().filter(uses).collect();
    assert_eq!(found, [Path::new("program.rs")]);
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let crates =
        ["shared", "device", "terminal", "storage", "signal", "testing", "turn", "websocket"]
            .map(|name| (name, Crate::read(name)));
    let found = crates
        .iter()
        .flat_map(|(name, files)| files.circles().into_iter().map(|circle| (*name, circle)));
    assert_eq!(found.collect::<Vec<_>>(), []);
}

#[test]
fn a_path_is_found_wherever_it_stands() {
    let code = "use crate::a::{self, b::{c as d, E}, F}; use super::g; fn h(i: &crate::j::K) {} macrocrate::x";
    let mut found = paths(code, "l::m");
    found.sort();
    assert_eq!(found, ["a::F", "a::b::E", "a::b::c", "a::self", "j::K", "l::g"]);
}
