//! A saved beam, and users in every role.

use std::time::Duration;

use heliograph_shared::api::beams::{Level, LinkAccess};
use heliograph_shared::ids::{BeamId, BeamKey, ItemId, ShareId};
use heliograph_shared::names::BeamName;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::quota::Quotas;
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::{BeamWriter, Location, Storage};
use serde_json::{Value, json};
use uuid::Uuid;

use super::device::TestDevice;
use super::person::Person;
use super::postgres::fresh_database;
use super::server::TestServer;
use super::spread;

/// A role in the beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Guest,
    User,
    Reader,
    Writer,
    Admin,
    Owner,
}

pub const EVERYBODY: [Who; 6] =
    [Who::Guest, Who::User, Who::Reader, Who::Writer, Who::Admin, Who::Owner];

/// The logged-in users.
pub struct World<'a> {
    pub server: &'a TestServer,
    /// The flags that name its database.
    pub database: Vec<&'a str>,
    /// Prepares the database without the server.
    pub writer: BeamWriter,
    people: Vec<(Who, Person<'a>)>,
}

/// A saved beam with a share of each level.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    pub beam: BeamId,
    pub readers: ShareId,
    pub writers: ShareId,
    pub admins: ShareId,
}

/// An unlimited quota.
pub fn quota(now: Millis) -> Quota {
    Quota { quotas: Quotas::UNLIMITED, now }
}

/// Runs a test on a server with SQLite, then on one with Postgres. Several nodes have Postgres alone.
pub async fn on_both(test: impl AsyncFn(&World<'_>)) {
    let sqlite = (spread::nodes() == 1).then_some(None);
    for database in sqlite.into_iter().chain([Some(fresh_database())]) {
        println!("with {database:?}");
        let flags: Vec<_> = database.iter().flat_map(|url| ["--database", url]).collect();
        let server = TestServer::with(&flags).await;
        let folder = || Location::Folder(server.folder.path().to_owned());
        let location = database.clone().map_or_else(folder, Location::Postgres);
        test(&World::of(&server, &location, flags.clone()).await).await;
    }
}

/// The first message of a user's device.
fn auth(who: Who) -> Value {
    let extra = json!({"v": 1, "caps": ["files"], "name": format!("{who:?}")});
    json!({"type": "auth", "message": null, "extra": extra})
}

impl<'a> World<'a> {
    async fn of(server: &'a TestServer, location: &Location, database: Vec<&'a str>) -> Self {
        let mut people = vec![(Who::Guest, server.person("guest"))];
        for who in &EVERYBODY[1..] {
            people.push((*who, server.registered(&format!("{who:?}").to_lowercase()).await));
        }
        let (_, writer) = Storage::open(location).await.unwrap();
        Self { server, database, writer, people }
    }

    pub fn person(&self, who: Who) -> Person<'a> {
        self.people.iter().find(|(own, _)| *own == who).unwrap().1.clone()
    }

    pub async fn account(&self, who: Who) -> AccountId {
        self.person(who).account().await
    }

    /// A fresh saved beam with one note by the user in the role write.
    pub async fn trip(&self, link_access: LinkAccess) -> Trip {
        let (storage, writer) = (&self.server.app.storage, &self.writer);
        let now = self.server.app.clock.now();
        let beam = BeamId::from_random(*Uuid::now_v7().as_bytes());
        let key = BeamKey::from_random([1; 32]).hash();
        storage.create_beam(beam, key, now, now + Duration::from_secs(1_000)).await.unwrap();
        let owner = self.account(Who::Owner).await;
        let note = NewNote {
            id: ItemId::from_random([1; 16]),
            seq: 1,
            content: r#"{"title": "Packing",  "content": {"root": 1}}"#.to_owned(),
            upload: None,
            kind: "lexi_note".to_owned(),
            device: heliograph_shared::ids::DeviceId::from_bytes([1; 16]),
            author: Some(self.account(Who::Writer).await),
            created_at: now,
        };
        let name = BeamName::parse("Trip").unwrap();
        writer
            .save_beam(
                beam,
                owner,
                &name,
                Contents { notes: &[note], ..Contents::default() },
                quota(now),
            )
            .await
            .unwrap();
        writer.change_beam(owner, beam, None, Some(link_access)).await.unwrap();
        let share = async |who: Who, level| {
            let (id, name) = (ShareId::from_random(*Uuid::now_v7().as_bytes()), self.person(who));
            writer.create_share(owner, id, beam, &name.username, level, now).await.unwrap().id
        };
        Trip {
            beam,
            readers: share(Who::Reader, Level::Read).await,
            writers: share(Who::Writer, Level::Write).await,
            admins: share(Who::Admin, Level::Admin).await,
        }
    }

    /// Opens a socket with a user's cookies and sends only `auth`.
    pub async fn knocks(&self, who: Who, beam: BeamId) -> TestDevice {
        let cookies = self.person(who).cookies_for("/ws");
        let headers = [("cookie", &*cookies)];
        let mut device = self.server.connect_as(beam, &headers).await.unwrap();
        device.says(&auth(who)).await;
        device
    }

    /// Joins a beam with a device of a user, and also returns the welcome.
    pub async fn enters(&self, who: Who, beam: BeamId) -> (TestDevice, Value) {
        let cookies = self.person(who).cookies_for("/ws");
        self.server.joins_as(beam, &[("cookie", &cookies)], &auth(who)).await
    }
}
