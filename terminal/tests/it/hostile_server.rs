//! A server that does what it likes: it stands between a device and the real one, and changes, keeps and invents what they say.

use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::{accept_hdr_async, client_async};

use crate::server::Server;

/// What is passed on in place of a message; nothing drops it.
type Hook = Box<dyn FnMut(Value) -> Option<Value> + Send>;
/// What is passed on in place of a frame with the id of its device (R1).
type FrameHook = Box<dyn FnMut(Vec<u8>) -> Vec<Vec<u8>> + Send>;

/// How a request for a socket begins.
const SOCKET: &[u8] = b"GET /ws/";
/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_mins(1);

/// It is there until the test program ends.
pub struct HostileServer {
    real: String,
    url: String,
    inner: Arc<Inner>,
}

struct Inner {
    real: SocketAddr,
    state: Mutex<State>,
    has_heard: Condvar,
}

#[derive(Clone, Copy)]
enum Way {
    FromDevice,
    ToDevice,
}

impl Inner {
    fn passes(&self, message: Message, way: Way) -> Vec<Message> {
        let State { from_device, to_device, frame_to_device, heard, .. } =
            &mut *self.state.lock().unwrap();
        let passed = match (message, way) {
            (Message::Text(text), Way::FromDevice) => pass(&text, heard, from_device),
            (Message::Text(text), Way::ToDevice) => pass(&text, heard, to_device),
            (Message::Binary(frame), Way::ToDevice) => {
                frame_to_device(frame.into()).into_iter().map(Message::binary).collect()
            }
            // The libraries at both ends answer pings themselves.
            (Message::Ping(_) | Message::Pong(_), _) => Vec::new(),
            (other, _) => vec![other],
        };
        self.has_heard.notify_all();
        passed
    }
}

struct State {
    from_device: Hook,
    to_device: Hook,
    frame_to_device: FrameHook,
    /// Everything in text that went by, in both directions, as it came.
    heard: Vec<Value>,
    /// The socket to the device.
    says: Option<UnboundedSender<Message>>,
}

impl HostileServer {
    pub fn before(server: &Server) -> Self {
        let state = State {
            from_device: Box::new(Some),
            to_device: Box::new(Some),
            frame_to_device: Box::new(|frame| vec![frame]),
            heard: Vec::new(),
            says: None,
        };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let real = server.url();
        let address = real.strip_prefix("http://").unwrap().parse().unwrap();
        let inner =
            Arc::new(Inner { real: address, state: Mutex::new(state), has_heard: Condvar::new() });
        let standing = inner.clone();
        thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(stands(stream, standing.clone()));
                }
            });
        });
        Self { real, url, inner }
    }

    /// The same link, by way of this server.
    pub fn link(&self, link: &str) -> String {
        link.replace(&self.real, &self.url)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap()
    }

    /// Changes what the device says, before the real server hears it.
    pub fn changes_up(&self, hook: impl FnMut(Value) -> Option<Value> + Send + 'static) {
        self.state().from_device = Box::new(hook);
    }

    /// Changes what the real server says, before the device hears it.
    pub fn changes_down(&self, hook: impl FnMut(Value) -> Option<Value> + Send + 'static) {
        self.state().to_device = Box::new(hook);
    }

    pub fn changes_frames(&self, hook: impl FnMut(Vec<u8>) -> Vec<Vec<u8>> + Send + 'static) {
        self.state().frame_to_device = Box::new(hook);
    }

    /// Tells the device something of its own.
    pub fn says(&self, message: &Value) {
        let text = Message::text(message.to_string());
        self.state().says.as_ref().unwrap().send(text).unwrap();
    }

    /// Waits until so many messages went by that are as wanted. Returns the last of them.
    #[track_caller]
    pub fn hears(&self, count: usize, wanted: impl Fn(&Value) -> bool) -> Value {
        let lacks = |state: &mut State| {
            state.heard.iter().filter(|message| wanted(message)).count() < count
        };
        let has_heard = &self.inner.has_heard;
        let (state, late) = has_heard.wait_timeout_while(self.state(), PATIENCE, lacks).unwrap();
        assert!(!late.timed_out(), "it heard only {:#?}", state.heard);
        state.heard.iter().rfind(|message| wanted(message)).unwrap().clone()
    }

    /// All that went by in text.
    pub fn heard(&self) -> Vec<Value> {
        self.state().heard.clone()
    }
}

/// Whether a message is of this type.
pub fn is(kind: &str) -> impl Fn(&Value) -> bool {
    move |message| message["type"] == kind
}

/// Whether a message is about the ways in (E6), and does this.
pub fn is_way(op: &str) -> impl Fn(&Value) -> bool {
    move |message| message["type"] == "e2e" && message["message"]["op"] == op
}

#[allow(
    clippy::result_large_err,
    clippy::unnecessary_wraps,
    reason = "the library's callback is so"
)]
async fn stands(stream: TcpStream, inner: Arc<Inner>) {
    let mut first = [0; SOCKET.len()];
    while stream.peek(&mut first).await.is_ok_and(|bytes| 0 < bytes && bytes < first.len()) {}
    let Ok(mut real) = TcpStream::connect(inner.real).await else { return };
    if first != SOCKET {
        let mut stream = stream;
        let _ = copy_bidirectional(&mut stream, &mut real).await;
        return;
    }
    let mut path = String::new();
    let reads = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        request.uri().path().clone_into(&mut path);
        Ok(response)
    };
    let Ok(device) = accept_hdr_async(stream, reads).await else { return };
    let Ok((real, _)) = client_async(format!("ws://{}{path}", inner.real), real).await else {
        return;
    };
    let (says, mut said) = unbounded_channel();
    inner.state.lock().unwrap().says = Some(says.clone());
    let (mut to_device, mut from_device) = device.split();
    let (mut to_real, mut from_real) = real.split();
    let upwards = async {
        while let Some(Ok(message)) = from_device.next().await {
            for passed in inner.passes(message, Way::FromDevice) {
                if to_real.send(passed).await.is_err() {
                    return;
                }
            }
        }
    };
    let downwards = async {
        while let Some(Ok(message)) = from_real.next().await {
            for passed in inner.passes(message, Way::ToDevice) {
                let _ = says.send(passed);
            }
        }
    };
    let speaking = async {
        while let Some(message) = said.recv().await {
            if to_device.send(message).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = upwards => {}
        () = downwards => {}
        () = speaking => {}
    }
}

fn pass(text: &str, heard: &mut Vec<Value>, hook: &mut Hook) -> Vec<Message> {
    let Ok(message) = serde_json::from_str::<Value>(text) else {
        return vec![Message::text(text)];
    };
    heard.push(message.clone());
    let Some(passed) = hook(message.clone()) else { return Vec::new() };
    // What is not changed goes to the byte as it came.
    vec![Message::text(if passed == message { text.to_owned() } else { passed.to_string() })]
}
