//! A device for tests. It waits for events, never for time.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use uuid::Uuid;

use super::server::TestServer;

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same for nodes, which send devices away for a moment. Longer, so that a device that hears nothing fails first.
const PATIENCE_OF_NODES: Duration = Duration::from_secs(30);

pub struct TestDevice {
    pub socket: WebSocketStream<TcpStream>,
    pub id: Uuid,
}

/// The id of a beam that nobody created.
pub fn unknown_beam() -> BeamId {
    BeamId::from_random(*Uuid::now_v7().as_bytes())
}

impl TestServer {
    /// Opens a socket without sending anything.
    pub async fn connect(&self, beam: BeamId) -> TestDevice {
        self.connect_as(beam, &[]).await.unwrap()
    }

    /// Opens a socket with additional headers.
    pub async fn connect_as(
        &self,
        beam: BeamId,
        headers: &[(&str, &str)],
    ) -> Result<TestDevice, Error> {
        TestDevice::open(self.address, beam, headers).await
    }

    /// Joins as a guest, with all extensions of the protocol.
    pub async fn join(&self, beam: BeamId) -> TestDevice {
        self.join_with(beam, &json!({"v": 1, "caps": ["files"], "name": "Test"})).await
    }

    pub async fn join_with(&self, beam: BeamId, extra: &Value) -> TestDevice {
        let auth = json!({"type": "auth", "message": null, "extra": extra});
        self.joins_as(beam, &[], &auth).await.0
    }

    /// Lets time pass until the device sees a message of this type. It is never silent for a minute meanwhile.
    pub async fn time_passes_until(&self, device: &mut TestDevice, kind: &str) -> Value {
        let seeing = async {
            loop {
                self.time_passes(Duration::from_secs(30)).await;
                device.sends(Message::text("ping")).await;
                let seen = device.sees_one_of(&[kind, "pong"]).await;
                if seen["type"] == kind {
                    return seen;
                }
            }
        };
        // By the clock that is advanced.
        timeout(Duration::from_hours(2), seeing).await.expect("it comes within two hours")
    }

    /// Joins with these headers and this first message, and also returns the welcome.
    pub async fn joins_as(
        &self,
        beam: BeamId,
        headers: &[(&str, &str)],
        auth: &Value,
    ) -> (TestDevice, Value) {
        let may_be_sent_away = !self.app.bus.is_alone();
        TestDevice::joins(self.address, beam, headers, auth, may_be_sent_away).await
    }
}

/// Whether a server that closes with this code takes the device when it comes again: a node does that while it is not sure of
/// its bus.
fn is_passing(code: u16) -> bool {
    [CloseCode::Overload, CloseCode::Restart].iter().any(|passing| passing.number() == code)
}

impl TestDevice {
    /// Opens a socket; an error when it is refused.
    pub async fn open(
        address: SocketAddr,
        beam: BeamId,
        headers: &[(&str, &str)],
    ) -> Result<Self, Error> {
        let socket = TcpSocket::new_v4().unwrap();
        // Small, so that the server soon notices a device that does not read.
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = socket.connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let url = format!("ws://{address}/ws/beam/{beam}/");
        let mut request = url.into_client_request().unwrap();
        let own = request.headers_mut();
        for (name, _) in headers {
            own.remove(*name);
        }
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            own.append(name, HeaderValue::from_str(value).unwrap());
        }
        let config = WebSocketConfig::default();
        let (socket, _) = client_async_with_config(request, stream, Some(config)).await?;
        Ok(Self { socket, id: Uuid::nil() })
    }

    /// Joins, and also returns the welcome. Where the server has several nodes, the device comes again when one of them sends it
    /// away that is not sure of its bus.
    pub async fn joins(
        address: SocketAddr,
        beam: BeamId,
        headers: &[(&str, &str)],
        auth: &Value,
        may_be_sent_away: bool,
    ) -> (Self, Value) {
        let comes = async {
            loop {
                let mut device = Self::open(address, beam, headers).await.unwrap();
                device.says(auth).await;
                match device.is_welcomed_or_told_why().await {
                    Ok(welcome) => return (device, welcome),
                    Err(code) if may_be_sent_away && is_passing(code) => {}
                    Err(code) => panic!("closed before the welcome: {code}"),
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(PATIENCE_OF_NODES, comes).await.expect("the nodes are sure of their bus")
    }

    /// Waits for the welcome, or for the code with which the server closes the socket instead.
    async fn is_welcomed_or_told_why(&mut self) -> Result<Value, u16> {
        loop {
            match self.next().await.expect("closed before the welcome") {
                Message::Close(Some(frame)) => return Err(frame.code.into()),
                Message::Text(text) => {
                    let value = serde_json::from_str(&text).unwrap_or(Value::Null);
                    if value["type"] == "welcome" {
                        self.is_known_as(&value);
                        return Ok(value);
                    }
                }
                message => assert!(!message.is_close(), "closed before the welcome: {message:?}"),
            }
        }
    }

    /// Takes the id that the welcome gives it.
    fn is_known_as(&mut self, welcome: &Value) {
        self.id = welcome["message"]["device_id"].as_str().unwrap().parse().unwrap();
    }

    /// Waits for the welcome; `false` when the server closes the socket instead.
    pub async fn is_welcomed_or_sent_away(&mut self) -> bool {
        while let Ok(Some(Ok(message))) = timeout(PATIENCE, self.socket.next()).await {
            let value = message.to_text().map_or(Ok(Value::Null), serde_json::from_str);
            if let Ok(welcome) = value
                && welcome["type"] == "welcome"
            {
                self.is_known_as(&welcome);
                return true;
            }
        }
        false
    }

    pub async fn says(&mut self, message: &Value) {
        self.sends(Message::text(message.to_string())).await;
    }

    pub async fn sends(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    pub async fn shares(&mut self, content: impl Into<Value>) {
        let content = content.into();
        self.says(&json!({"type": "share_clipboard", "message": content})).await;
    }

    /// Sends a frame to another device.
    pub async fn relays(&mut self, to: Uuid, frame: &[u8]) {
        self.sends(Message::Binary([to.as_bytes(), frame].concat().into())).await;
    }

    /// Relays a frame to another device, which gets it. A node that is not sure of its bus takes no frame for now, so the device
    /// sends it again (R4).
    pub async fn relays_to(&mut self, other: &mut Self, frame: &[u8]) {
        let relaying = async {
            loop {
                self.relays(other.id, frame).await;
                tokio::select! {
                    got = other.gets_frame() => return got,
                    why = self.is_refused() => assert_eq!(why, "relay_full"),
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        let relayed = timeout(Duration::from_mins(1), relaying).await;
        let (from, bytes) = relayed.expect("the node takes it again");
        assert!(from == self.id && bytes[..] == frame[..], "{} bytes from {from}", bytes.len());
    }

    pub async fn is_welcomed(&mut self) -> Value {
        let welcome = self.sees("welcome").await;
        self.is_known_as(&welcome);
        welcome
    }

    /// The next message other than a ping; `None` when the socket has ended.
    pub async fn next(&mut self) -> Option<Message> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("nothing came")? {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(message) => return Some(message),
                Err(error) => panic!("the socket broke: {error}"),
            }
        }
    }

    /// The next message of this type. Skips others.
    pub async fn sees(&mut self, kind: &str) -> Value {
        self.sees_until(kind, |_| true).await
    }

    pub async fn sees_until(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.sees_which(&[kind], wanted).await
    }

    /// The next message of one of these types. Skips others.
    pub async fn sees_one_of(&mut self, kinds: &[&str]) -> Value {
        self.sees_which(kinds, |_| true).await
    }

    async fn sees_which(&mut self, kinds: &[&str], wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("closed before {kinds:?}"));
            let Message::Text(text) = message else {
                assert!(!message.is_close(), "closed before {kinds:?}: {message:?}");
                continue;
            };
            let value: Value = serde_json::from_str(&text).unwrap_or(json!({"type": &*text}));
            if kinds.iter().any(|kind| value["type"] == *kind) && wanted(&value) {
                return value;
            }
        }
    }

    /// The content of the next item.
    pub async fn sees_item(&mut self) -> Value {
        self.sees("rec_clipboard").await["message"].take()
    }

    /// Waits until this many devices are in the beam.
    pub async fn sees_devices(&mut self, count: usize) -> Value {
        let is = |users: &Value| users["message"].as_array().unwrap().len() == count;
        self.sees_until("authed_users", is).await["message"].take()
    }

    /// The code of the next error.
    pub async fn is_refused(&mut self) -> String {
        self.sees("error").await["extra"].as_str().unwrap().to_owned()
    }

    /// The next frame, with its sender.
    pub async fn gets_frame(&mut self) -> (Uuid, Bytes) {
        loop {
            match self.next().await.expect("closed before a frame") {
                Message::Binary(bytes) => {
                    return (Uuid::from_slice(&bytes[..16]).unwrap(), bytes.slice(16..));
                }
                Message::Close(frame) => panic!("closed before a frame: {frame:?}"),
                _ => {}
            }
        }
    }

    /// Waits for the end of the socket and returns the close code.
    pub async fn is_closed(&mut self) -> u16 {
        loop {
            match self.next().await {
                Some(Message::Close(Some(frame))) => return frame.code.into(),
                Some(Message::Close(None)) | None => panic!("closed without a code"),
                Some(_) => {}
            }
        }
    }

    /// The same of a device that hears nothing before, but that what it said is refused.
    pub async fn is_sent_away(&mut self) -> u16 {
        loop {
            match self.next().await {
                Some(Message::Close(Some(frame))) => return frame.code.into(),
                Some(Message::Text(text)) => {
                    let Ok(heard) = serde_json::from_str::<Value>(&text) else { continue };
                    assert_eq!(heard["type"], "error", "{heard}");
                }
                other => panic!("instead of a close code came {other:?}"),
            }
        }
    }

    /// Closes the socket and waits until the server has closed it too.
    pub async fn leaves(mut self) {
        self.socket.close(None).await.unwrap();
        while let Ok(Some(Ok(_))) = timeout(PATIENCE, self.socket.next()).await {}
    }
}
