//! The references: the same framework doing nothing but moving bytes. No protocol, no JSON, no limits.

use std::collections::HashMap;
use std::env;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message as AxumMessage, WebSocket, WebSocketUpgrade};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response as Answer};

use crate::Failure;

/// The first argument that makes this program the reference.
pub const COMMAND: &str = "bare";
/// Sent to a device once its room knows it.
pub const READY: &str = "ready";
/// Messages that may wait for a device, as in the product.
const OUTBOX_MESSAGES: usize = 1024;

type Fixed = Arc<Mutex<Bytes>>;
type Room = Arc<Mutex<Vec<mpsc::Sender<Message>>>>;
type Rooms = Arc<Mutex<HashMap<String, Room>>>;

/// Serves the echo with axum on the given address, and the rooms with tokio-tungstenite on the next port.
pub async fn serve() -> Result<(), Failure> {
    let address: std::net::SocketAddr = env::args().nth(2).ok_or("an address")?.parse()?;
    let mut rooms_address = address;
    rooms_address.set_port(rooms_port(address.port()));
    tokio::spawn(rooms(TcpListener::bind(rooms_address).await?));

    let listener = TcpListener::bind(address).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let paths = Router::new()
        .route("/echo", get(upgrade))
        .route("/fixed", get(fixed).put(fix))
        .with_state(Fixed::default());
    axum::serve(listener, paths).await?;
    Ok(())
}

/// The port of the rooms, given the port of the echo.
pub const fn rooms_port(echo: u16) -> u16 {
    if echo == u16::MAX { echo - 1 } else { echo + 1 }
}

/// Answers with the body that was set last.
async fn fixed(State(body): State<Fixed>) -> impl IntoResponse {
    let body = body.lock().unwrap_or_else(PoisonError::into_inner).clone();
    ([(CONTENT_TYPE, "application/json")], body)
}

async fn fix(State(fixed): State<Fixed>, body: Bytes) {
    *fixed.lock().unwrap_or_else(PoisonError::into_inner) = body;
}

async fn upgrade(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(echo)
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let is_data = matches!(message, AxumMessage::Binary(_));
        if is_data && socket.send(message).await.is_err() {
            break;
        }
    }
}

async fn rooms(listener: TcpListener) {
    let rooms = Rooms::default();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(device(stream, Arc::clone(&rooms)));
    }
}

async fn device(stream: TcpStream, rooms: Rooms) {
    let _ = stream.set_nodelay(true);
    let mut path = String::new();
    #[expect(clippy::result_large_err, reason = "the library's type")]
    let remember = |request: &Request, answer: Answer| {
        request.uri().path().clone_into(&mut path);
        Ok(answer)
    };
    let Ok(socket) = accept_hdr_async(stream, remember).await else { return };
    let (mut sink, mut source) = socket.split();
    let (outbox, mut waiting) = mpsc::channel(OUTBOX_MESSAGES);
    let room =
        Arc::clone(rooms.lock().unwrap_or_else(PoisonError::into_inner).entry(path).or_default());
    let _ = outbox.try_send(Message::text(READY));
    room.lock().unwrap_or_else(PoisonError::into_inner).push(outbox);

    tokio::spawn(async move {
        while let Some(message) = waiting.recv().await {
            if sink.send(message).await.is_err() {
                break;
            }
        }
    });
    while let Some(Ok(message)) = source.next().await {
        if message.is_text() {
            for outbox in &*room.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = outbox.try_send(message.clone());
            }
        }
    }
}
