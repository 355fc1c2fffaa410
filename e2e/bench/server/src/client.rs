//! A minimal client of the protocol.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::COOKIE;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use uuid::Uuid;

use crate::Failure;

/// A client's websocket.
pub type Socket = WebSocketStream<TcpStream>;

/// Opens a websocket.
pub async fn open(address: SocketAddr, path: &str, buffer: usize) -> Result<Socket, Failure> {
    open_as(address, path, buffer, "").await
}

/// Opens a websocket, with a `Cookie` header line if one is given.
pub async fn open_as(
    address: SocketAddr,
    path: &str,
    buffer: usize,
    cookie: &str,
) -> Result<Socket, Failure> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().read_buffer_size(buffer);
    let mut request = format!("ws://{address}{path}").into_client_request()?;
    if let Some((_, value)) = cookie.split_once(':') {
        request.headers_mut().insert(COOKIE, HeaderValue::from_str(value.trim())?);
    }
    Ok(client_async_with_config(request, stream, Some(config)).await?.0)
}

/// Joins a beam of the product with frames, and also returns the device's id.
pub async fn join(
    address: SocketAddr,
    beam: Uuid,
    buffer: usize,
) -> Result<(Socket, Uuid), Failure> {
    let mut socket = open(address, &format!("/ws/beam/{beam}/"), buffer).await?;
    let auth = json!({
        "type": "auth",
        "message": null,
        "extra": {"v": 1, "caps": ["files"], "name": "Bench"},
    });
    socket.send(Message::text(auth.to_string())).await?;
    let welcome = next(&mut socket, "welcome").await?;
    let id = welcome["device_id"].as_str().ok_or("no device id")?.parse()?;
    Ok((socket, id))
}

/// Waits until the device knows of this many devices.
pub async fn see_devices(socket: &mut Socket, count: usize) -> Result<(), Failure> {
    while next(socket, "authed_users").await?.as_array().is_none_or(|all| all.len() < count) {}
    Ok(())
}

/// The content of the next message of this type.
pub async fn next(socket: &mut Socket, kind: &str) -> Result<Value, Failure> {
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let mut message: Value = serde_json::from_str(&text)?;
        if message["type"] == kind {
            return Ok(message["message"].take());
        }
        if message["type"] == "error" {
            return Err(
                format!("instead of {kind}, the server says: {}", message["message"]).into()
            );
        }
    }
    Err(format!("the server closed before {kind}").into())
}

/// The id of the `number`th beam, a version-4 UUID that nobody created.
pub fn beam(number: u128) -> Uuid {
    // Multiplying by an odd number spreads small numbers over all bytes.
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    uuid::Builder::from_random_bytes(spread.to_be_bytes()).into_uuid()
}
