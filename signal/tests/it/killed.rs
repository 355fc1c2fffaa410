//! The server is killed right after it acknowledged something, in the middle of other work. Everything that it
//! acknowledged must exist afterwards (R2), on both databases.

use std::env;
use std::fs::File;
use std::io::{self, Seek as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use heliograph_shared::api::CreatedBeam;
use heliograph_shared::ids::BeamId;
use heliograph_shared::names::Username;
use heliograph_storage::{Location, Storage};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use super::person::form;
use super::postgres::fresh_database;
use super::program::address_of;
use super::server::{Answer, TRIES, send};

/// Default number of kills per database; the long form of the test sets more.
const KILLS: usize = 20;
const PATIENCE: Duration = Duration::from_secs(30);

/// Something that the server acknowledged.
#[derive(Clone, Debug)]
enum Acknowledged {
    Account(String),
    Beam(String, BeamId),
    Note(BeamId, String),
    Share(String, BeamId),
}

/// Records what was acknowledged to all workers.
#[derive(Clone)]
struct Ledger {
    entries: Arc<Mutex<Vec<Acknowledged>>>,
    count: watch::Sender<usize>,
}

impl Ledger {
    fn new() -> Self {
        Self { entries: Arc::default(), count: watch::Sender::new(0) }
    }

    fn add(&self, entry: Acknowledged) {
        self.entries.lock().unwrap().push(entry);
        self.count.send_modify(|count| *count += 1);
    }
}

/// Any error of a worker: the server is gone.
struct Gone;

/// A worker: creates accounts, saves beams, shares notes and beams, until the server is gone.
struct Worker {
    address: SocketAddr,
    name: String,
    ledger: Ledger,
}

impl Worker {
    async fn run(self) {
        let mut before: Option<String> = None;
        for number in 0.. {
            let user = format!("{}_{number}", self.name);
            if self.live(&user, before.as_deref()).await.is_err() {
                return;
            }
            before = Some(user);
        }
    }

    async fn live(&self, user: &str, friend: Option<&str>) -> Result<(), Gone> {
        let cookie = self.registers(user).await?;
        let beam = self.saves(user, &cookie).await?;
        if let Some(friend) = friend {
            let body = json!({"beam_id": beam, "username": friend}).to_string();
            let headers = [("content-type", "application/json"), ("cookie", &*cookie)];
            let path = "/api/beams/share/";
            if self.asks("POST", path, &headers, body.as_bytes()).await?.status == 201 {
                self.ledger.add(Acknowledged::Share(friend.to_owned(), beam));
            }
        }
        Ok(())
    }

    /// Registers, and returns the cookies of the new account.
    async fn registers(&self, user: &str) -> Result<String, Gone> {
        let fields = [
            ("first_name", "Ada"),
            ("last_name", "Lovelace"),
            ("username", user),
            ("email", "ada@example.org"),
            ("password", "a password for tests"),
        ];
        let (kind, body) = form(&fields);
        let headers = [("content-type", &*kind)];
        let answer = self.asks("POST", "/api/auth/register/", &headers, &body).await?;
        if answer.status != 201 {
            return Err(Gone);
        }
        self.ledger.add(Acknowledged::Account(user.to_owned()));
        let pairs = answer.cookies.iter().filter_map(|cookie| cookie.split(';').next());
        Ok(pairs.collect::<Vec<_>>().join("; "))
    }

    /// Saves a beam with a note in it, and shares more notes.
    async fn saves(&self, user: &str, cookie: &str) -> Result<BeamId, Gone> {
        let answer = self.asks("POST", "/api/beams/create/", &[], b"").await?;
        let beam: CreatedBeam = serde_json::from_slice(&answer.body).map_err(|_| Gone)?;
        let stream = TcpStream::connect(self.address).await.map_err(|_| Gone)?;
        let url = format!("ws://{}/ws/beam/{}/", self.address, beam.beam_id);
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
        let (mut socket, _) = client_async(request, stream).await.map_err(|_| Gone)?;
        let first = format!("{user} before");
        for message in [
            json!({"type": "auth", "message": beam.beam_key}),
            json!({"type": "share_clipboard", "message": first}),
            json!({"type": "save_beam", "message": "Trip"}),
            json!({"type": "share_clipboard", "message": format!("{user} one")}),
            json!({"type": "share_clipboard", "message": format!("{user} two")}),
        ] {
            socket.send(Message::text(message.to_string())).await.map_err(|_| Gone)?;
        }
        let mut seen = 0;
        while seen < 3 {
            let Some(Ok(message)) = socket.next().await else { return Err(Gone) };
            let Message::Text(text) = message else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            match message["type"].as_str() {
                Some("beam_saved") => {
                    seen += 1;
                    self.ledger.add(Acknowledged::Beam(user.to_owned(), beam.beam_id));
                    self.ledger.add(Acknowledged::Note(beam.beam_id, first.clone()));
                }
                Some("rec_clipboard") if message["message"] != json!(first) => {
                    seen += 1;
                    let content = message["message"].as_str().unwrap().to_owned();
                    self.ledger.add(Acknowledged::Note(beam.beam_id, content));
                }
                _ => {}
            }
        }
        Ok(beam.beam_id)
    }

    async fn asks(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, Gone> {
        let stream = TcpStream::connect(self.address).await.map_err(|_| Gone)?;
        let host = self.address.to_string();
        let (method, path, body) = (method.to_owned(), path.to_owned(), body.to_owned());
        let headers: Vec<_> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        // A response that breaks off does not count. Reading it fails in a task of its own.
        let asked = tokio::spawn(async move {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
            send(stream, &host, &method, &path, &headers, &body).await
        });
        asked.await.map_err(|_| Gone)
    }
}

/// Starts a server as a process of its own. The system may not have seen yet that the one before it is gone, for which a start waits
/// only for some seconds; nothing else keeps a server from starting after a kill.
async fn start(location: &Location, folder: &Path) -> (Child, SocketAddr) {
    for _ in 0..TRIES {
        let mut said = tempfile::tempfile().unwrap();
        let mut child = spawn(location, folder, said.try_clone().unwrap());
        let address = timeout(PATIENCE, address_of(&mut child)).await.expect("it starts or ends");
        if let Some(address) = address {
            return (child, address);
        }
        said.rewind().unwrap();
        let why = io::read_to_string(said).unwrap();
        assert!(why.contains("nother Heliograph server"), "{why}");
    }
    panic!("it does not start");
}

fn spawn(location: &Location, folder: &Path, says: File) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heliograph"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--turn", "off", "--data"]).arg(folder);
    if let Location::Postgres(url) = location {
        command.args(["--database", url]);
    }
    command.stdout(Stdio::piped()).stderr(says).kill_on_drop(true).spawn().unwrap()
}

async fn is_there(storage: &Storage, entry: &Acknowledged) -> bool {
    let find = async |user: &str| {
        let name = Username::parse(user).unwrap();
        storage.find_credentials(&name).await.unwrap().map(|(account, _)| account.id)
    };
    match entry {
        Acknowledged::Account(user) => find(user).await.is_some(),
        Acknowledged::Beam(user, beam) => {
            let owner = find(user).await.expect("an owner");
            let beams = storage.beams_of(owner).await.unwrap();
            beams.iter().any(|own| own.beam_id == *beam)
        }
        Acknowledged::Note(beam, content) => {
            let notes = storage.notes_of(*beam).await.unwrap();
            let stored = json!(content).to_string();
            notes.iter().any(|note| note.content == stored)
        }
        Acknowledged::Share(friend, beam) => {
            let shares = storage.shares_of_beam(*beam).await.unwrap();
            shares.iter().any(|share| share.recipient.username == *friend)
        }
    }
}

/// Kills the server after this many acknowledgements, and checks all of them.
async fn kill_after(
    acknowledgements: usize,
    round: usize,
    location: &Location,
    data: &std::path::Path,
) {
    let (mut server, address) = start(location, data).await;
    let ledger = Ledger::new();
    let mut count = ledger.count.subscribe();
    let workers: Vec<_> = (0..3)
        .map(|number| {
            let (name, ledger) = (format!("k{round}_{number}"), ledger.clone());
            tokio::spawn(Worker { address, name, ledger }.run())
        })
        .collect();
    let reached = count.wait_for(|count| *count >= acknowledgements);
    timeout(PATIENCE, reached).await.expect("the server answers").unwrap();
    server.kill().await.unwrap();
    for worker in workers {
        worker.await.unwrap();
    }
    let (storage, _) = Storage::open(location).await.unwrap();
    storage.check_integrity().await.unwrap();
    let entries = ledger.entries.lock().unwrap().clone();
    for entry in entries {
        assert!(is_there(&storage, &entry).await, "lost in round {round}: {entry:?}");
    }
    storage.close().await;
}

async fn survives(location: impl FnOnce(&std::path::Path) -> Location) {
    let kills = env::var("HELIOGRAPH_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let location = location(folder.path());
    for round in 0..kills {
        // Seven and the length of a life are coprime, so each kind of acknowledgement is sometimes the last one.
        kill_after(1 + (round * 7) % 20, round, &location, folder.path()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r2_what_was_acknowledged_outlives_a_kill_on_sqlite() {
    survives(|folder| Location::Folder(folder.to_owned())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn r2_what_was_acknowledged_outlives_a_kill_on_postgres() {
    survives(|_| Location::Postgres(fresh_database())).await;
}
