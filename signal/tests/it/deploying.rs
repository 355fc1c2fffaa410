//! What is deployed and what the documents tell people to type: every setting and every command in them is one that
//! the program has, and the compose files hang together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use heliograph_signal::program::Cli;
use serde_json::Value;

/// Where the commands and settings are that people copy.
const DOCUMENTS: [&str; 17] = [
    "README.md",
    "docs/hosting.md",
    "docs/sizing.md",
    "Dockerfile",
    "compose.yaml",
    "deploy/compose.yaml",
    "deploy/compose.turn.yaml",
    "deploy/compose.cluster.yaml",
    "deploy/env.example",
    "deploy/heliograph.service",
    "deploy/heliograph-device.service",
    "deploy/Caddyfile",
    "deploy/Caddyfile.cluster",
    "deploy/kubernetes.yaml",
    "deploy/nginx.conf",
    "deploy/nginx.cluster.conf",
    "turn/coturn.conf",
];
const COMPOSE: [&str; 2] = ["compose.yaml", "deploy/compose.yaml"];
/// What is laid over the first and over the second of them.
const COMPOSE_TURN: &str = "deploy/compose.turn.yaml";
const COMPOSE_CLUSTER: &str = "deploy/compose.cluster.yaml";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The options of `serve`: variable and flag.
fn options() -> Vec<(String, String)> {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").unwrap();
    let options = serve.get_arguments().filter_map(|arg| {
        Some((arg.get_env()?.to_str()?.to_owned(), format!("--{}", arg.get_long()?)))
    });
    options.collect()
}

/// The variables of all commands.
fn settings() -> BTreeSet<String> {
    fn of(command: &clap::Command, all: &mut BTreeSet<String>) {
        let named = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str());
        all.extend(named.map(str::to_owned));
        command.get_subcommands().for_each(|command| of(command, all));
    }
    let mut all = BTreeSet::new();
    of(&Cli::command(), &mut all);
    all
}

/// The words in a text that begin with `HELIOGRAPH_`. `HELIOGRAPH_*` stands for all.
fn variables(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.match_indices("HELIOGRAPH_").map(|(at, _)| {
        let rest = &text[at..];
        rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned()
    });
    words.filter(|word| word != "HELIOGRAPH_").collect()
}

/// The commands `heliograph …` in a text, each to the end of its quotation or line.
fn commands(text: &str) -> Vec<String> {
    let cli = Cli::command();
    let names: Vec<_> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let found = text.match_indices("heliograph ").map(|(at, _)| {
        let rest = &text[at..];
        rest[..rest.find(['`', '\n', '|', '&', ';', '(', '#']).unwrap_or(rest.len())].trim()
    });
    let is_ours = |line: &&str| line.split(' ').nth(1).is_some_and(|word| names.contains(&word));
    found.filter(is_ours).map(str::to_owned).collect()
}

/// What clap says against a command; nothing when it can be run.
fn fault(words: &[&str]) -> Option<String> {
    let error = Cli::try_parse_from(words).err()?;
    let asks = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!asks).then(|| error.to_string())
}

#[test]
fn every_setting_in_the_documents_is_one_of_the_program() {
    let known = settings();
    let mut count = 0;
    for name in DOCUMENTS {
        for variable in variables(&document(name)) {
            assert!(known.contains(&variable), "{name} names {variable}, which is no setting");
            count += 1;
        }
    }
    assert!(count > 10, "the documents were searched: {count}");
}

#[test]
fn every_command_in_the_documents_can_be_typed() {
    let mut count = 0;
    for name in DOCUMENTS {
        for command in commands(&document(name)) {
            let words: Vec<_> = command.split_whitespace().collect();
            let fault = fault(&words);
            assert_eq!(fault, None, "{name} has `{command}`");
            count += 1;
        }
    }
    assert!(count > 10, "the documents were searched: {count}");
}

const KUBERNETES: &str = "deploy/kubernetes.yaml";

/// A compose file.
fn compose(name: &str) -> Value {
    let [file] = <[Value; 1]>::try_from(yaml(name)).unwrap();
    file
}

/// The documents of a file, read by a YAML parser of the test tools.
fn yaml(name: &str) -> Vec<Value> {
    let python = root().join("target/test-tools/bin/python");
    let script = "import json, sys, yaml; \
                  print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";
    let read = Command::new(python).args(["-c", script]).arg(root().join(name)).output();
    let read = read.expect("the test tools are installed (scripts/install-test-tools)");
    assert!(read.status.success(), "{name}: {}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).unwrap()
}

/// A value after compose has put variables in: their defaults, or else a name or an address.
fn filled(value: &str) -> String {
    let (mut text, mut rest) = (String::new(), value);
    while let Some((before, variable)) = rest.split_once("${") {
        let (variable, after) = variable.split_once('}').unwrap();
        let name = if variable.contains("ADDRESS") { "203.0.113.9" } else { "beam.example.org" };
        let default = variable.split_once(":-").map_or(name, |(_, default)| default);
        text = text + before + default;
        rest = after;
    }
    text + rest
}

/// The settings of a service, which are written as a map or as a list. Those without a value come from outside.
fn environment(service: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match &service["environment"] {
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        Value::Array(list) => {
            let pairs = list.iter().filter_map(|entry| entry.as_str().unwrap().split_once('='));
            pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// The settings of the nodes in Kubernetes. Those from secrets have no value here.
fn environment_of_pods() -> Vec<(String, String)> {
    let file = yaml(KUBERNETES);
    let nodes = file.iter().find(|part| part["metadata"]["name"] == "heliograph").unwrap();
    let variables = nodes["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
    let said = variables.iter().filter_map(|variable| {
        let value = variable["value"].as_str()?.replace("$(POD_IP)", "10.0.0.1");
        Some((variable["name"].as_str()?.to_owned(), value))
    });
    said.collect()
}

#[test]
fn the_server_takes_the_settings_of_the_compose_files_and_of_kubernetes() {
    let options = options();
    let of_compose = COMPOSE.into_iter().chain([COMPOSE_TURN, COMPOSE_CLUSTER]);
    let of_compose =
        of_compose.map(|name| (name, environment(&compose(name)["services"]["heliograph"])));
    for (name, environment) in of_compose.chain([(KUBERNETES, environment_of_pods())]) {
        let mut words = vec!["heliograph".to_owned(), "serve".to_owned()];
        for (variable, value) in environment {
            let flag = options.iter().find(|(known, _)| *known == variable);
            let (_, flag) = flag.unwrap_or_else(|| panic!("{name}: {variable} is no setting"));
            words.push(format!("{flag}={}", filled(&value)));
        }
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        assert_eq!(fault(&words), None, "{name}");
    }
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn the_parts_of_a_compose_file_know_each_other() {
    for name in COMPOSE {
        let file = compose(name);
        let folder = root().join(name).parent().unwrap().to_owned();
        let (volumes, secrets) = (keys(&file["volumes"]), keys(&file["secrets"]));
        for (service, about) in file["services"].as_object().unwrap() {
            let at = format!("{name}, {service}");
            if let Some(waits) = about["depends_on"].as_object() {
                for (other, how) in waits {
                    assert_eq!(how["condition"], "service_healthy", "{at}");
                    let check = &file["services"][other]["healthcheck"]["test"];
                    assert!(check.is_array(), "{at} waits for the health of {other}");
                }
            }
            for volume in about["volumes"].as_array().into_iter().flatten() {
                let from = volume.as_str().unwrap().split(':').next().unwrap();
                let is_there = if from.starts_with('.') {
                    folder.join(from).exists()
                } else {
                    volumes.contains(from)
                };
                assert!(is_there, "{at}: {from}");
            }
            for secret in about["secrets"].as_array().into_iter().flatten() {
                assert!(secrets.contains(secret.as_str().unwrap()), "{at}: {secret}");
            }
            let image = about["image"].as_str().unwrap();
            assert!(image == "heliograph" || image.contains(':'), "{at}: {image} has a version");
            assert_eq!(about["read_only"], true, "{at}");
        }
    }
}

/// The named parts of a list.
fn names(list: &Value) -> BTreeSet<String> {
    let all = list.as_array().into_iter().flatten();
    all.filter_map(|part| part["name"].as_str()).map(str::to_owned).collect()
}

#[test]
fn the_parts_for_kubernetes_know_each_other() {
    let file = yaml(KUBERNETES);
    let of_kind = |kind: &'static str| file.iter().filter(move |part| part["kind"] == kind);
    let (mut pods, mut claims) = (Vec::new(), BTreeSet::new());
    for claim in of_kind("PersistentVolumeClaim") {
        claims.insert(claim["metadata"]["name"].as_str().unwrap());
    }
    for part in of_kind("Deployment") {
        let (at, pod) = (&part["metadata"]["name"], &part["spec"]["template"]);
        assert_eq!(part["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"], "{at}");
        let volumes = names(&pod["spec"]["volumes"]);
        for volume in pod["spec"]["volumes"].as_array().unwrap() {
            let claim = volume["persistentVolumeClaim"]["claimName"].as_str();
            assert!(claim.is_none_or(|claim| claims.contains(claim)), "{at}: {claim:?}");
        }
        let container = &pod["spec"]["containers"][0];
        assert!(container["image"].as_str().unwrap().contains(':'), "{at} has a version");
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true, "{at}");
        assert!(names(&container["volumeMounts"]).is_subset(&volumes), "{at}: {volumes:?}");
        let ports = names(&container["ports"]);
        for probe in ["readinessProbe", "livenessProbe", "startupProbe"] {
            for how in ["httpGet", "tcpSocket"] {
                let port = container[probe][how]["port"].as_str();
                assert!(port.is_none_or(|port| ports.contains(port)), "{at}: {probe}");
            }
        }
        pods.push((&pod["metadata"]["labels"], ports));
    }
    let port_of = |labels: &Value| {
        let pod = pods.iter().find(|(known, _)| *known == labels);
        &pod.unwrap_or_else(|| panic!("no pod has {labels}")).1
    };
    for part in of_kind("Service") {
        let ports = port_of(&part["spec"]["selector"]);
        for port in part["spec"]["ports"].as_array().unwrap() {
            assert!(ports.contains(port["targetPort"].as_str().unwrap()), "{part}");
        }
    }
    for part in of_kind("NetworkPolicy") {
        let ports = port_of(&part["spec"]["podSelector"]["matchLabels"]);
        for rule in part["spec"]["ingress"].as_array().unwrap() {
            port_of(&rule["from"][0]["podSelector"]["matchLabels"]);
            assert!(ports.contains(rule["ports"][0]["port"].as_str().unwrap()), "{part}");
        }
    }
    port_of(&of_kind("PodDisruptionBudget").next().unwrap()["spec"]["selector"]["matchLabels"]);
}

#[test]
fn turn_in_a_container_has_the_ports_that_are_published() {
    let services = [compose("compose.yaml"), compose(COMPOSE_TURN)]
        .map(|file| file["services"]["heliograph"].clone());
    let ports = services.each_ref().map(|service| {
        let ports = service["ports"].as_array().unwrap().iter();
        ports.map(|port| port.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    let [alone, with_turn] = services.map(|service| BTreeMap::from_iter(environment(&service)));
    assert_eq!(alone["HELIOGRAPH_TURN"], "off");
    assert_eq!(ports[0], ["8080:8080"], "none of TURN's");
    assert_eq!(with_turn["HELIOGRAPH_TURN"], "embedded");
    let relays = &with_turn["HELIOGRAPH_TURN_PORTS"];
    assert!(ports[1].contains(&format!("{relays}:{relays}/udp")), "{ports:?}");
}

/// The files of this project that a text names by their path.
fn paths(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_start_matches("../"));
    let words = words.map(|word| word.trim_end_matches('.'));
    let is_ours =
        |word: &&str| ["deploy/", "docs/", "turn/"].iter().any(|folder| word.starts_with(folder));
    words.filter(is_ours).map(str::to_owned).collect()
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    // These are the operator's own.
    let made = ["deploy/.env", "deploy/secrets"];
    let mut count = 0;
    for name in DOCUMENTS {
        for path in paths(&document(name)) {
            let is_there = root().join(&path).exists() || made.contains(&path.as_str());
            assert!(is_there, "{name} names {path}, which is not there");
            count += 1;
        }
    }
    assert!(count > 10, "the documents were searched: {count}");
}
