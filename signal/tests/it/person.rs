//! A person with a browser: keeps the cookies of one server and sends them as a browser would.

use std::collections::BTreeMap;

use heliograph_shared::ids::{BeamId, BeamKey};
use heliograph_shared::names::Username;
use heliograph_storage::accounts::AccountId;
use serde_json::{Value, json};

use super::device::TestDevice;
use super::server::{Answer, TestServer};

/// A header: name and value.
pub type Header<'a> = (&'a str, &'a str);

#[derive(Clone)]
pub struct Person<'a> {
    pub server: &'a TestServer,
    pub username: String,
    pub password: String,
    /// The cookies by name, each with its path and value.
    pub cookies: BTreeMap<String, (String, String)>,
}

impl TestServer {
    /// A person whom the server does not know.
    pub fn person(&self, username: &str) -> Person<'_> {
        let password = format!("{username}'s password");
        Person { server: self, username: username.to_owned(), password, cookies: BTreeMap::new() }
    }

    /// A person who has just registered.
    pub async fn registered(&self, username: &str) -> Person<'_> {
        let mut person = self.person(username);
        assert_eq!(person.registers().await.status, 201);
        person
    }
}

/// The content type and body of a multipart form.
pub fn form(fields: &[(&str, &str)]) -> (String, Vec<u8>) {
    let part = |(name, value): &(&str, &str)| {
        format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body: String = fields.iter().map(part).collect();
    ("multipart/form-data; boundary=x".to_owned(), (body + "--x--\r\n").into_bytes())
}

impl Person<'_> {
    /// Joins a beam with a device of this person.
    pub async fn joins(&self, beam: BeamId) -> TestDevice {
        self.joins_with(beam, None).await
    }

    async fn joins_with(&self, beam: BeamId, key: Option<&BeamKey>) -> TestDevice {
        let cookies = self.cookies_for("/ws/");
        let auth = json!({"type": "auth", "message": key, "extra": {"v": 1, "caps": []}});
        self.server.joins_as(beam, &[("cookie", &cookies)], &auth).await.0
    }

    /// Creates a beam, shares an item in it and saves it.
    pub async fn saves_a_beam(&self) -> BeamId {
        let beam = self.server.create_beam().await;
        let mut device = self.joins_with(beam.beam_id, Some(&beam.beam_key)).await;
        device.shares("a note").await;
        device.sees_item().await;
        device.says(&json!({"type": "save_beam", "message": "Desk"})).await;
        device.sees("beam_saved").await;
        device.leaves().await;
        beam.beam_id
    }

    /// The id of this person's account.
    pub async fn account(&self) -> AccountId {
        let name = Username::parse(&self.username).unwrap();
        self.server.app.storage.find_credentials(&name).await.unwrap().unwrap().0.id
    }

    /// The fields of this person's registration form.
    pub fn fields(&self) -> [(&'static str, String); 5] {
        [
            ("first_name", "Ada".to_owned()),
            ("last_name", "Lovelace".to_owned()),
            ("username", self.username.clone()),
            ("email", format!("{}@example.org", self.username)),
            ("password", self.password.clone()),
        ]
    }

    pub async fn registers(&mut self) -> Answer {
        let fields = self.fields();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
        self.sends_form("/api/auth/register/", &fields).await
    }

    pub async fn sends_form(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let (kind, body) = form(fields);
        self.sends("POST", path, &[("content-type", &kind)], &body).await
    }

    pub async fn logs_in(&mut self) -> Answer {
        let body = json!({"username": self.username, "password": self.password});
        self.asks("POST", "/api/auth/login/", &body).await
    }

    pub async fn gets(&mut self, path: &str) -> Answer {
        self.sends("GET", path, &[], b"").await
    }

    pub async fn posts(&mut self, path: &str) -> Answer {
        self.sends("POST", path, &[], b"").await
    }

    /// Sends a request with a JSON body.
    pub async fn asks(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.sends(method, path, &[("content-type", "application/json")], body.as_bytes()).await
    }

    /// Sends a request with this browser's cookies, and keeps those of the response.
    pub async fn sends(
        &mut self,
        method: &str,
        path: &str,
        headers: &[Header<'_>],
        body: &[u8],
    ) -> Answer {
        let cookies = self.cookies_for(path);
        let mut all = headers.to_vec();
        if !cookies.is_empty() {
            all.push(("cookie", &cookies));
        }
        let answer = self.server.send(method, path, &all, body).await;
        self.keeps(&answer);
        answer
    }

    /// The Cookie header of a request to this path.
    pub fn cookies_for(&self, path: &str) -> String {
        let fitting = self.cookies.iter().filter(|(_, (own, _))| path.starts_with(own));
        let pairs: Vec<_> = fitting.map(|(name, (_, value))| format!("{name}={value}")).collect();
        pairs.join("; ")
    }

    fn keeps(&mut self, answer: &Answer) {
        for cookie in &answer.cookies {
            let mut parts = cookie.split("; ");
            let (name, value) = parts.next().unwrap().split_once('=').unwrap();
            let path = parts.find_map(|part| part.strip_prefix("Path=")).unwrap();
            if cookie.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), (path.to_owned(), value.to_owned()));
            }
        }
    }

    /// The username under which the server knows this browser, if it does.
    pub async fn is(&mut self) -> Option<String> {
        let answer = self.gets("/api/auth/me").await;
        match answer.status {
            200 => answer.json()["user"]["username"].as_str().map(str::to_owned),
            401 => None,
            other => panic!("{other}: {answer:?}"),
        }
    }
}
