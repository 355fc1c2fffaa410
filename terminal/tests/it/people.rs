//! People with accounts, vaults and saved beams on a server, made by calls as a browser makes them.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use heliograph_device::io::account::{Account, Credentials};
use heliograph_device::io::live_device::LiveDevice;
use heliograph_device::io::login::LoginStore;
use heliograph_device::io::private_folder::PrivateFolder;
use heliograph_device::io::server::Server as Reached;
use heliograph_device::io::system_random::SystemRandom;
use heliograph_device::keys::keyring::Keyring;
use heliograph_device::keys::password::OwnVault;
use heliograph_device::keys::saved_keys::{OwnEntry, new_tag};
use heliograph_device::session::beam_link::BeamLink;
use heliograph_device::session::{Input, News, Settings};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::{BeamVaultChange, KeysForPerson};
use heliograph_shared::e2ee::secret::Secret;
use heliograph_shared::e2ee::stretching::Stretch;
use heliograph_shared::e2ee::vault::{Opens, Vault};
use heliograph_shared::ids::{BeamId, DeviceToken, ItemId};
use heliograph_shared::opaque::Opaque;
use heliograph_shared::socket::{ClientMessage, ServerMessage};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zeroize::Zeroizing;

use crate::program::{Words, program};
use crate::server::Server;

/// What a person types, and no server is to see once there is a vault.
pub const PASSWORD: &str = "quince-tango-7719-plover";
/// With what accounts begin.
const FIRST: &str = "a password for tests";

/// A person with an account, and a machine of theirs.
pub struct Person<'a> {
    server: &'a Server,
    pub username: String,
    pub home: tempfile::TempDir,
    runtime: Runtime,
}

/// An answer to a call.
struct Answer {
    status: u16,
    cookies: String,
    body: String,
}

fn asks(server: &Server, head: &str, cookies: &str, kind: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).unwrap();
    let host = server.url().trim_start_matches("http://").to_owned();
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncookie: {cookies}\r\n\
         content-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let cookies = head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
    let cookies: Vec<_> = cookies.map(|line| line.split(';').next().unwrap()).collect();
    Answer { status, cookies: cookies.join("; "), body: body.to_owned() }
}

impl<'a> Person<'a> {
    /// Registers an account, which is not logged in anywhere.
    pub fn registers(server: &'a Server, username: &str) -> Self {
        let field = |(name, value): (&str, &str)| {
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let email = format!("{username}@example.org");
        let fields = [
            ("first_name", "Ada"),
            ("last_name", "Lovelace"),
            ("username", username),
            ("email", &email),
            ("password", FIRST),
        ];
        let body = fields.map(field).concat() + "--x--\r\n";
        let kind = "multipart/form-data; boundary=x";
        let answer = asks(server, "POST /api/auth/register/", "", kind, &body);
        assert_eq!(answer.status, 201, "{}", answer.body);
        let (home, runtime) = (tempfile::tempdir().unwrap(), Runtime::new().unwrap());
        Self { server, username: username.to_owned(), home, runtime }
    }

    /// Sets up a vault, as the browser's dialog does.
    pub fn has_vault(self, secret: u8) -> Self {
        let vault = Vault::new(Secret::new([secret; 32]));
        let stretch = Stretch { salt: [secret; 16], memory_kib: 65_536, passes: 3 };
        let parts = stretch.parts(PASSWORD).unwrap();
        let encoded = |bytes: &[u8]| json!(Opaque::new(bytes.to_vec()));
        let by_words =
            vault.wrapped(&Secret::new(SystemRandom::bytes()), Opens::Words, SystemRandom::bytes());
        let body = json!({
            "password": FIRST,
            "new_password": encoded(parts.login.expose()),
            "vault": {
                "version": 1,
                "stretch": {"salt": encoded(&stretch.salt), "memory_kib": 65_536, "passes": 3},
                "by_password": vault.wrapped(&parts.vault, Opens::Password, SystemRandom::bytes()),
                "by_words": by_words,
                "public_key": encoded(vault.public()),
            },
        });
        let login = json!({"username": self.username, "password": FIRST});
        let json = "application/json";
        let login = asks(self.server, "POST /api/auth/login/", "", json, &login.to_string());
        let path = "PUT /api/auth/vault/";
        let answer = asks(self.server, path, &login.cookies, json, &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        self
    }

    /// A command on this person's machine.
    pub fn runs(&self, words: &[&str]) -> Words {
        program(words).env("HOME", self.home.path().to_str().unwrap())
    }

    /// Logs in with the program.
    pub fn logs_in(&self, password: &str) -> crate::program::Ended {
        let url = self.server.url();
        let words = ["login", "--server", &url, "--username", &self.username, "--password-stdin"];
        self.runs(&words).ends_with(format!("{password}\n").as_bytes())
    }

    pub fn first_password() -> &'static str {
        FIRST
    }

    fn store(&self) -> LoginStore {
        let state = self.home.path().join(".local/state/heliograph/accounts");
        LoginStore::at(PrivateFolder::at(state))
    }

    /// The files of the program's state, with what is in them.
    pub fn kept(&self) -> Vec<(PathBuf, String)> {
        let folder = self.home.path().join(".local/state/heliograph/accounts");
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let files = entries.map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
    }

    /// The file with the login, and what is in it.
    pub fn login(&self) -> Option<(PathBuf, String)> {
        let is_login =
            |(path, _): &(PathBuf, String)| path.to_str().unwrap().ends_with("login.json");
        self.kept().into_iter().find(is_login)
    }

    /// This person's login on another machine.
    fn elsewhere(&self, password: &str) -> (Account, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = LoginStore::at(PrivateFolder::at(folder.path().to_owned()));
        let server = Reached::at(&self.server.url().parse().unwrap()).unwrap();
        let credentials = Credentials {
            username: self.username.clone(),
            password: Zeroizing::new(password.to_owned()),
            is_from_operator: false,
        };
        let logging_in = Account::log_in(&server, &store, credentials);
        (self.runtime.block_on(logging_in).unwrap(), folder)
    }

    /// Makes a beam on another machine, shares a text in it and saves it. Its keys go into the vault, where there is one.
    pub fn saves(&self, name: &str, text: &str, password: &str) -> (BeamId, Keyring) {
        let (account, _folder) = self.elsewhere(password);
        let ring = Keyring::make(&mut SystemRandom);
        let saving = saves(&account, name, text, &ring);
        (self.runtime.block_on(saving), ring)
    }

    /// Changes the keys of a saved beam on another machine that is not in it, as a page does when a share has ended (E15). Returns the
    /// new ones.
    pub fn rekeys(&self, beam: BeamId, password: &str) -> Keyring {
        let (account, _folder) = self.elsewhere(password);
        let OwnVault::Open(vault) = account.vault() else { panic!("no vault") };
        self.runtime.block_on(async {
            let there = account.beam_vault(beam).await.unwrap();
            let before = OwnEntry::open(&vault, &there.keys.unwrap()).unwrap();
            let mut ring = Keyring::of_own(&before, None, &mut SystemRandom).unwrap();
            ring.rekey(&[], Duration::ZERO, &mut SystemRandom);
            let keys = ring.for_vault(before.tag).unwrap().seal(&vault, &mut SystemRandom).unwrap();
            let to = Opaque::new(vault.public().to_vec());
            let keys = vec![KeysForPerson { username: account.username(), to, keys }];
            let change = BeamVaultChange { version: there.version + 1, keys };
            account.write_vault(beam, &change).await.unwrap();
            ring
        })
    }

    /// Shares a text on another machine, which knows of no other device, and leaves.
    pub fn shares(&self, beam: BeamId, ring: Keyring, text: &str) {
        let (account, _folder) = self.elsewhere(PASSWORD);
        let settings = Settings {
            beam,
            beam_key: None,
            name: "elsewhere".to_owned(),
            caps: Vec::new(),
            token: DeviceToken::from_random(SystemRandom::bytes()),
            keys: Some(ring),
        };
        self.runtime.block_on(async {
            let mut device = LiveDevice::join(account.server().clone(), settings);
            let id = ItemId::from_random(SystemRandom::bytes());
            let message = to_raw_value(text).unwrap();
            device.tell(Input::Share { id, message, extra: "text".to_owned(), to: None });
            while !matches!(device.next().await, Some(News::Confirmed(_))) {}
            device.leave().await;
        });
    }

    /// What this device remembers of vaults is changed.
    pub fn remembers_vault(&self) {
        let url = self.server.url().parse().unwrap();
        self.store().remember(&url, |memory| memory.remember_vault(&self.username)).unwrap();
    }
}

async fn saves(account: &Account, name: &str, text: &str, ring: &Keyring) -> BeamId {
    let made = account.server().create_beam().await.unwrap();
    let shared = ring.shared().unwrap();
    let entry = ring.for_vault(new_tag(&mut SystemRandom)).unwrap();
    let settings = Settings {
        beam: made.beam_id,
        beam_key: Some(made.beam_key),
        name: "maker".to_owned(),
        caps: Vec::new(),
        token: DeviceToken::from_random(SystemRandom::bytes()),
        keys: Keyring::of_own(&entry, None, &mut SystemRandom),
    };
    let mut device = LiveDevice::join(account.server().clone(), settings);
    let id = ItemId::from_random(SystemRandom::bytes());
    while let Some(news) = device.next().await {
        match news {
            News::Welcome(_) => {
                let message = to_raw_value(text).unwrap();
                device.tell(Input::Share { id, message, extra: "text".to_owned(), to: None });
            }
            News::Confirmed(_) => {
                let message = to_raw_value(name).unwrap();
                device.tell(Input::Say(ClientMessage::SaveBeam { message }));
            }
            News::Server(message) if matches!(*message, ServerMessage::BeamSaved { .. }) => break,
            _ => {}
        }
    }
    device.leave().await;
    if let OwnVault::Open(vault) = account.vault() {
        let keys = entry.seal(&vault, &mut SystemRandom).unwrap();
        let to = Opaque::new(vault.public().to_vec());
        let keys = vec![KeysForPerson { username: account.username(), to, keys }];
        account.write_vault(made.beam_id, &BeamVaultChange { version: 1, keys }).await.unwrap();
    } else {
        let shared: Value = serde_json::from_slice(&shared.write()).unwrap();
        let keys = json!({"keys": shared["keys"], "current": shared["current"], "proof": null});
        let keys: BeamKeys = serde_json::from_value(keys).unwrap();
        account.write_deposit(made.beam_id, &keys).await.unwrap();
    }
    made.beam_id
}

/// Deletes an item on another device, which has come with the link.
pub fn deletes(link: &str, item: &str) {
    let link = BeamLink::parse(link).unwrap();
    let item: ItemId = serde_json::from_value(json!(item)).unwrap();
    let secret = link.invite.as_ref().unwrap().secret().clone();
    let settings = Settings {
        beam: link.beam,
        beam_key: None,
        name: "another".to_owned(),
        caps: Vec::new(),
        token: DeviceToken::from_random(SystemRandom::bytes()),
        keys: Some(Keyring::with_link(secret, &mut SystemRandom)),
    };
    Runtime::new().unwrap().block_on(async {
        let mut device = LiveDevice::join(Reached::at(&link.server).unwrap(), settings);
        while let Some(news) = device.next().await {
            match news {
                News::Item(one) if one.id == item => device.tell(Input::Delete(item)),
                News::Gone(one) if one == item => break,
                _ => {}
            }
        }
        device.leave().await;
    });
}
