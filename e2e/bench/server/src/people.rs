//! Accounts for the benchmarks, with their cookies and saved beams.

use std::net::SocketAddr;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use crate::Failure;
use crate::client::{next, open_as};
use crate::http::Connection;

/// The password of every account.
pub const PASSWORD: &str = "correct horse battery staple";

/// Registers an account and returns the `Cookie` header line of its session.
pub async fn register(host: SocketAddr, username: &str) -> Result<String, Failure> {
    let fields = [
        ("first_name", "Ada"),
        ("last_name", "Byron"),
        ("username", username),
        ("email", "ada@example.org"),
        ("password", PASSWORD),
    ];
    let part = |(name, value)| {
        format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = fields.map(part).concat() + "--b--\r\n";
    let headers = "content-type: multipart/form-data; boundary=b\r\n";
    let mut connection = Connection::open(host).await?;
    let answer = connection.ask("POST", "/api/auth/register/", headers, body.as_bytes()).await?;
    if answer.status != 201 {
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        return Err(format!("register answered {}: {body}", answer.status).into());
    }
    Ok(format!("cookie: {}\r\n", answer.cookies))
}

/// Creates and saves a beam, and returns its id.
pub async fn save_beam(host: SocketAddr, cookie: &str, name: &str) -> Result<Uuid, Failure> {
    let mut connection = Connection::open(host).await?;
    let answer = connection.ask("POST", "/api/beams/create/", cookie, b"").await?;
    let beam: Value = serde_json::from_slice(&answer.body)?;
    let id = beam["beam_id"].as_str().ok_or("no beam")?.parse()?;
    let path = format!("/ws/beam/{id}/");
    let mut socket = open_as(host, &path, 4096, cookie).await?;
    let auth = json!({"type": "auth", "message": beam["beam_key"]});
    socket.send(Message::text(auth.to_string())).await?;
    let save = json!({"type": "save_beam", "message": name});
    socket.send(Message::text(save.to_string())).await?;
    next(&mut socket, "beam_saved").await?;
    socket.close(None).await?;
    Ok(id)
}
