//! The server for every codec: rooms, with an outbox and two tasks for each socket.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tungstenite::handshake::derive_accept_key;

use super::{Codec, Read, Write};
use crate::Failure;

/// Messages that may wait for a device, as in the product.
const OUTBOX_MESSAGES: usize = 1024;
/// Messages that are written at once, as in the product.
const BATCH_MESSAGES: usize = 64;
const HEAD_BYTES: usize = 1024;

type Room<C> = Arc<Mutex<Vec<mpsc::Sender<<C as Codec>::Message>>>>;
type Rooms<C> = Arc<Mutex<HashMap<String, Room<C>>>>;

pub async fn serve<C: Codec>(address: SocketAddr) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await?;
    let rooms = Rooms::<C>::default();
    loop {
        let (stream, _) = listener.accept().await?;
        let rooms = rooms.clone();
        tokio::spawn(async move {
            // A connection that only checks whether the port is open sends nothing.
            let _ = open::<C>(stream, rooms).await;
        });
    }
}

async fn open<C: Codec>(mut stream: TcpStream, rooms: Rooms<C>) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let head = read_head(&mut stream).await?;
    let path = head.split(' ').nth(1).ok_or("no path")?;
    let key = header(&head, "Sec-WebSocket-Key").ok_or("no key")?;
    let room = lock(&rooms).entry(path.to_owned()).or_default().clone();
    let (outbox, waiting) = mpsc::channel(OUTBOX_MESSAGES);
    lock(&room).push(outbox.clone());
    // A client that has read the response is in the room.
    let accept = derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await?;

    let (mut reader, writer) = C::split(stream);
    tokio::spawn(write::<C>(writer, waiting));
    while let Some(message) = reader.next().await {
        let to_itself = C::is_text(&message);
        for member in lock(&room).iter() {
            if to_itself || !member.same_channel(&outbox) {
                member.try_send(message.clone()).map_err(|_| "an outbox is full")?;
            }
        }
    }
    lock(&room).retain(|member| !member.same_channel(&outbox));
    Ok(())
}

async fn write<C: Codec>(mut writer: C::Writer, mut waiting: mpsc::Receiver<C::Message>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, BATCH_MESSAGES).await > 0 {
        if writer.write(&mut batch).await.is_err() {
            return;
        }
    }
}

async fn read_head(stream: &mut TcpStream) -> Result<String, Failure> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > HEAD_BYTES || stream.read_buf(&mut head).await? == 0 {
            return Err("no request".into());
        }
    }
    Ok(String::from_utf8(head)?)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
