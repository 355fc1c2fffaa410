//! The reading side of a socket.

use bytes::BytesMut;
use heliograph_shared::close::CloseCode;
use heliograph_shared::decode::{Subject, Undecodable};
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{DeviceId, ItemId};
use heliograph_shared::limits::{AUTH_TIMEOUT, MAX_MESSAGE_BYTES};
use heliograph_shared::names::{BeamName, Kind};
use heliograph_shared::socket::{ClientMessage, LiveItem, RelayUse};
use tokio::time::{sleep, timeout};

use super::allowance::Allowance;
use super::joining::device_name;
use super::{End, Received, Socket, SocketReader, fresh};
use crate::live::beam::handle::BeamHandle;
use crate::live::beam::request::{Deletion, Request};
use crate::live::beam::state::{PassedOn, Saying};
use crate::live::refusal::{Refusal, TOO_OFTEN};
use crate::live::websocket::{Broken, Event, Message};

/// The refusal of a message with more than `MAX_JSON_DEPTH` levels.
const TOO_DEEP: Refusal =
    Refusal::new("This message nests deeper than 100 levels.", ErrorCode::BadRequest);
const TOO_LONG: Refusal = Refusal::new("This message is too long.", ErrorCode::TooLarge);
const UNKNOWN_TYPE: Refusal =
    Refusal::new("The server does not know this type of message.", ErrorCode::UnknownType);
const UNREADABLE: Refusal = Refusal::new("This message cannot be read.", ErrorCode::BadRequest);
const IN_ALREADY: Refusal = Refusal::new("This device has already joined.", ErrorCode::BadRequest);
const NO_RELAY: Refusal =
    Refusal::new("This server relays nothing between devices.", ErrorCode::Forbidden);
const TRY_AGAIN: Refusal = Refusal::new("Try again.", ErrorCode::Internal);

impl Socket {
    /// Reads until the socket ends.
    pub(super) async fn read(&self, reader: &mut SocketReader<'_>) -> End {
        let mut allowance = Allowance::full(self.context.clock.steady());
        let auth = match timeout(AUTH_TIMEOUT, self.wait_for_auth(reader, &mut allowance)).await {
            Ok(Ok(auth)) => auth,
            Ok(Err(end)) => return end,
            Err(_) => return End::Close(CloseCode::AuthTimeout),
        };
        // Boxed, because the future is large and soon over, while the socket lives on.
        let (device, beam) = match Box::pin(self.join(auth)).await {
            Ok(joined) => joined,
            Err(code) => return End::Close(code),
        };
        loop {
            match self.receive(reader, &mut allowance).await {
                Ok(Received::Text(text)) => {
                    if let Err(end) = self.listen(&text, &beam).await {
                        return end;
                    }
                }
                Ok(Received::Frame(message)) => self.relay(device, message, &beam),
                Err(end) => return end,
            }
        }
    }

    /// Reads the next text or frame. After too many it waits before reading on (S15).
    pub(super) async fn receive(
        &self,
        reader: &mut SocketReader<'_>,
        allowance: &mut Allowance,
    ) -> Result<Received, End> {
        loop {
            match reader.next().await.map_err(end_of)? {
                Event::Text(text) => {
                    while let Err(wait) = allowance.take(text.len(), self.context.clock.steady()) {
                        sleep(wait).await;
                    }
                    if text.as_str() == "ping" {
                        self.outbox.push(Message::text("pong"));
                    } else if text.len() > MAX_MESSAGE_BYTES {
                        self.refuse(TOO_LONG.about(Subject::of(&text)));
                    } else {
                        return Ok(Received::Text(text));
                    }
                }
                Event::Binary(frame) => return Ok(Received::Frame(frame)),
                Event::Ping(payload) => self.outbox.push_pong(payload),
                Event::Pong => {}
                Event::Close(code) => return Err(End::Goodbye(code)),
            }
        }
    }

    /// Handles a text message of a device that has joined.
    async fn listen(&self, text: &str, beam: &BeamHandle) -> Result<(), End> {
        let message = match ClientMessage::decode(text) {
            Ok(message) => message,
            Err(Undecodable::NotAMessage) => return Err(End::Close(CloseCode::BadMessage)),
            Err(Undecodable::UnknownType) => {
                self.refuse(UNKNOWN_TYPE);
                return Ok(());
            }
            Err(Undecodable::BadFields) => {
                self.refuse(UNREADABLE.about(Subject::of(text)));
                return Ok(());
            }
            Err(Undecodable::TooDeep) => {
                self.refuse(TOO_DEEP.about(Subject::of(text)));
                return Ok(());
            }
        };
        match self.count(&message).and_then(|()| saying(message)) {
            Ok(saying) => beam.said(self.connection, saying).await,
            Err(refusal) => self.refuse(refusal),
        }
        Ok(())
    }

    /// Counts wishes to keep a beam, of which an address has only so many (S30).
    fn count(&self, message: &ClientMessage) -> Result<(), Refusal> {
        let (ClientMessage::Keep { .. }, Some(client)) = (message, self.client) else {
            return Ok(());
        };
        let taken = self.context.keeps.take(client, self.context.clock.steady());
        taken.map_err(|_| TOO_OFTEN)
    }

    /// Forwards a frame of a device that has joined (section R), unless the operator wants none (R6).
    fn relay(&self, device: DeviceId, message: BytesMut, beam: &BeamHandle) {
        let forwarded = match self.context.relay {
            RelayUse::Off => Err(NO_RELAY),
            RelayUse::Fallback | RelayUse::Boost => beam.relay().forward(device, message),
        };
        if let Err(refusal) = forwarded {
            self.refuse(refusal);
        }
    }
}

/// Translates a message for the beam.
fn saying(message: ClientMessage) -> Result<Saying, Refusal> {
    Ok(match message {
        ClientMessage::Auth { .. } => {
            return Err(IN_ALREADY);
        }
        ClientMessage::ShareClipboard { message, extra, id, to } => {
            let id = match id {
                Some(id) => id,
                None => ItemId::from_random(fresh().map_err(|_| TRY_AGAIN)?),
            };
            let kind = Kind::parse(extra);
            let kind = kind.map_err(|why| bad_request(why.0).about(Subject::item(id)))?;
            Saying::Request(Request::Share { message, kind, id, to })
        }
        ClientMessage::DeleteNote { message, extra, id } => {
            Saying::Request(Request::Delete(Deletion { message, extra, id }))
        }
        ClientMessage::Held { message } => Saying::Request(Request::Held(message)),
        ClientMessage::Restore { message } => {
            let about = Subject::item(message.id);
            let kind = Kind::parse(message.extra);
            let extra = kind.map_err(|why| bad_request(why.0).about(about))?.into_string();
            Saying::Request(Request::Restore(LiveItem { extra, ..message }))
        }
        ClientMessage::Arrange { message } => Saying::Request(Request::Arrange(message)),
        ClientMessage::RemoveDevice { message } => Saying::Request(Request::RemoveDevice(message)),
        ClientMessage::RenameDevice { message } => Saying::Rename(device_name(&message)),
        ClientMessage::Keep { message } => Saying::Request(Request::Keep(message)),
        ClientMessage::SaveBeam { message } => {
            let name: String = serde_json::from_str(message.get()).unwrap_or_default();
            let name = BeamName::parse(&name).map_err(|why| bad_request(why.0))?;
            Saying::Request(Request::Save(name))
        }
        ClientMessage::Sync { message } => Saying::Sync(message),
        ClientMessage::Signal { message, extra } => {
            Saying::PassOn { kind: PassedOn::Signal, message, to: extra.to }
        }
        ClientMessage::E2e { message, extra } => {
            Saying::PassOn { kind: PassedOn::E2e, message, to: extra.to }
        }
    })
}

fn bad_request(detail: &'static str) -> Refusal {
    Refusal::new(detail, ErrorCode::BadRequest)
}

/// How the socket ends after a broken stream (S14).
const fn end_of(broken: Broken) -> End {
    match broken {
        Broken::Lost => End::Lost,
        Broken::TooLarge => End::Close(CloseCode::TooLarge),
        Broken::Spent => End::Close(CloseCode::Overload),
        Broken::Protocol => End::Close(CloseCode::Protocol),
        Broken::NotUtf8 => End::Close(CloseCode::NotUtf8),
    }
}
