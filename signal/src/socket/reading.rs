//! The reading side: `auth`, the way into the beam, then messages and frames until the end.

use std::time::Duration;

use bytes::BytesMut;
use heliograph_shared::close::CloseCode;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{BeamKey, DeviceId, DeviceToken, ItemId};
use heliograph_shared::limits::{
    AUTH_TIMEOUT, MAX_DEVICE_NAME, MAX_MESSAGE_BYTES, MAX_RELAYED_FRAME_BYTES, MESSAGE_BURST,
    MESSAGES_PER_SECOND, TEXT_KIB_BURST, TEXT_KIB_PER_SECOND,
};
use heliograph_shared::names::BeamName;
use heliograph_shared::socket::{AuthExtra, Cap, ClientMessage, Device, Undecodable};
use heliograph_storage::beams::BeamRecord;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use uuid::Uuid;

use super::{End, Incoming, Socket};
use crate::auth;
use crate::beam::actor::BeamHandle;
use crate::beam::change::Change;
use crate::beam::state::{Newcomer, Saying};
use crate::limit::{Bucket, Rate};
use crate::random;
use crate::relay::ADDRESS;
use crate::websocket::{Broken, Event, Message};

/// How often a socket may say something (S15).
const MESSAGES: Rate = Rate {
    burst: MESSAGE_BURST,
    every: Duration::from_micros(1_000_000 / MESSAGES_PER_SECOND as u64),
};
/// How much text a socket may send, in KiB (S15): what it says stands in the outbox of every other device.
const TEXT: Rate = Rate {
    burst: TEXT_KIB_BURST,
    every: Duration::from_micros(1_000_000 / TEXT_KIB_PER_SECOND as u64),
};
/// How the others see a device that says nothing of itself.
const NAMELESS: &str = "Another device";

/// What came, after everything that the websocket settles by itself.
enum Heard {
    Text(Utf8Bytes),
    Frame(BytesMut),
}

/// What a socket may still say now (S15).
struct Allowance {
    messages: Bucket,
    text: Bucket,
}

impl Allowance {
    fn full(now: Instant) -> Self {
        Self { messages: Bucket::full(now), text: Bucket::full(now) }
    }

    /// Takes one message of so many bytes.
    fn take(&mut self, bytes: usize, now: Instant) -> Result<(), Duration> {
        let kib = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).min(TEXT.burst);
        // The message is counted once its text is: a wait for either counts neither twice.
        let mut text = self.text;
        text.take_many(TEXT, kib, now)?;
        self.messages.take(MESSAGES, now)?;
        self.text = text;
        Ok(())
    }
}

/// What `auth` said.
struct Auth {
    key: Option<String>,
    extra: Option<AuthExtra>,
}

impl Socket {
    /// Reads until the end. The beam is left in `joined`, so that it can be told of the end however that comes.
    pub(super) async fn read(&self, reader: &mut Incoming, joined: &mut Option<BeamHandle>) -> End {
        let mut allowance = Allowance::full(self.heard.opened);
        let auth = match timeout(AUTH_TIMEOUT, self.wait_for_auth(reader, &mut allowance)).await {
            Ok(Ok(auth)) => auth,
            Ok(Err(end)) => return end,
            Err(_) => return End::Close(CloseCode::AuthTimeout),
        };
        // Boxed: it is long over while the socket lives on.
        let (device, beam) = match Box::pin(self.join(auth)).await {
            Ok((device, beam)) => (device, joined.insert(beam)),
            Err(code) => return End::Close(code),
        };
        loop {
            match self.hear(reader, &mut allowance).await {
                Ok(Heard::Text(text)) => {
                    if let Err(end) = self.listen(&text, beam).await {
                        return end;
                    }
                }
                Ok(Heard::Frame(message)) => self.relay(device, message, beam),
                Err(end) => return end,
            }
        }
    }

    /// S1: nothing but `auth` and `ping` counts before it.
    async fn wait_for_auth(
        &self,
        reader: &mut Incoming,
        allowance: &mut Allowance,
    ) -> Result<Auth, End> {
        loop {
            let Heard::Text(text) = self.hear(reader, allowance).await? else {
                continue;
            };
            match ClientMessage::decode(&text) {
                Ok(ClientMessage::Auth { message, extra }) => {
                    return Ok(Auth { key: message, extra });
                }
                Err(Undecodable::NotAMessage) => return Err(End::Close(CloseCode::BadMessage)),
                _ => self.refuse("The first message is auth.", ErrorCode::Unauthorized),
            }
        }
    }

    /// The next text or frame; what comes too fast is read more slowly (S15).
    async fn hear(&self, reader: &mut Incoming, allowance: &mut Allowance) -> Result<Heard, End> {
        loop {
            let event = reader.next().await.map_err(end_of)?;
            let now = self.app.clock.steady();
            self.heard.now(now);
            match event {
                Event::Text(text) => {
                    while let Err(wait) = allowance.take(text.len(), self.app.clock.steady()) {
                        sleep(wait).await;
                    }
                    if text.as_str() == "ping" {
                        self.outbox.push(Message::text("pong"));
                    } else if text.len() > MAX_MESSAGE_BYTES {
                        self.refuse("This message is too long.", ErrorCode::TooLarge);
                    } else {
                        return Ok(Heard::Text(text));
                    }
                }
                Event::Binary(frame) => return Ok(Heard::Frame(frame)),
                Event::Ping(payload) => self.outbox.push_pong(payload),
                Event::Pong => {}
                Event::Close => return Err(End::Goodbye),
            }
        }
    }

    /// S2: looks at the key and goes into the beam.
    async fn join(&self, auth: Auth) -> Result<(DeviceId, BeamHandle), CloseCode> {
        let now = self.app.clock.now();
        let record = self.app.storage.find_beam(self.beam).await.map_err(|error| {
            tracing::error!(%error, "a beam could not be looked up");
            CloseCode::Overload
        })?;
        if record.as_ref().is_some_and(|record| record.has_ended(now)) {
            return Err(CloseCode::Ended);
        }
        let creator = is_creator(auth.key.as_deref(), record.as_ref())?;
        if record.is_none() && !self.app.hub.is_live(self.beam) {
            self.count_unknown_join()?;
        }
        let newcomer = self.introduce(auth.extra, creator)?;
        let device = newcomer.device.device_id;
        let epoch = Uuid::from_bytes(fresh()?).to_string();
        let beam = self.app.hub.join(self.beam, &epoch, newcomer, self.outbox.clone()).await;
        Ok((device, beam))
    }

    fn count_unknown_join(&self) -> Result<(), CloseCode> {
        let Some(client) = self.client else { return Ok(()) };
        let taken = self.app.limits.unknown_joins.take(client, self.app.clock.steady());
        taken.map_err(|_| CloseCode::TooFast)
    }

    /// S3, S5: what the others will see, and under which id.
    fn introduce(&self, extra: Option<AuthExtra>, creator: bool) -> Result<Newcomer, CloseCode> {
        // A device that names no version knows none of ours.
        let extra = extra.filter(|extra| extra.v > 0);
        let plain = extra.is_none();
        let AuthExtra { mut caps, name, device_token, .. } = extra.unwrap_or_default();
        let token = match device_token {
            Some(token) => token,
            None => DeviceToken::from_random(fresh()?),
        };
        caps.retain(|cap| *cap != Cap::Unknown);
        caps.dedup();
        caps.truncate(2);
        let account = self.session.as_ref().map(|session| &session.account);
        let device = Device {
            device_id: DeviceId::from_token(self.beam, &token),
            name: tidy(name.as_deref().unwrap_or_default()),
            caps,
            user: account.map(|account| auth::public(account).into()).unwrap_or_default(),
        };
        let account = account.map(|account| account.id);
        Ok(Newcomer { connection: self.connection, device, plain, creator, account })
    }

    /// One text message of a device that is in.
    async fn listen(&self, text: &str, beam: &BeamHandle) -> Result<(), End> {
        let message = match ClientMessage::decode(text) {
            Ok(message) => message,
            Err(Undecodable::NotAMessage) => return Err(End::Close(CloseCode::BadMessage)),
            Err(Undecodable::UnknownType) => {
                self.refuse("This type of message is not known here.", ErrorCode::UnknownType);
                return Ok(());
            }
            Err(Undecodable::BadFields) => {
                self.refuse("This message cannot be read.", ErrorCode::BadRequest);
                return Ok(());
            }
        };
        match saying(message) {
            Ok(saying) => beam.said(self.connection, saying).await,
            Err((detail, code)) => self.refuse(detail, code),
        }
        Ok(())
    }

    /// One frame of a device that is in (section R).
    fn relay(&self, device: DeviceId, message: BytesMut, beam: &BeamHandle) {
        let refused = if message.len() > ADDRESS + MAX_RELAYED_FRAME_BYTES {
            Err(ErrorCode::TooLarge)
        } else {
            beam.relay().forward(device, message)
        };
        match refused {
            Ok(()) => {}
            Err(code @ ErrorCode::DeviceGone) => self.refuse("That device is not here.", code),
            Err(code @ ErrorCode::RelayFull) => {
                self.refuse("Too much is on its way to that device.", code);
            }
            Err(code @ ErrorCode::Forbidden) => {
                self.refuse("You may only read in this beam.", code);
            }
            Err(code) => self.refuse("This frame cannot be forwarded.", code),
        }
    }
}

/// What the device wants of its beam.
fn saying(message: ClientMessage) -> Result<Saying, (&'static str, ErrorCode)> {
    Ok(match message {
        ClientMessage::Auth { .. } => {
            return Err(("This device is in already.", ErrorCode::BadRequest));
        }
        ClientMessage::ShareClipboard { message, extra, id } => {
            let id = match id {
                Some(id) => id,
                None => {
                    ItemId::from_random(fresh().map_err(|_| ("Try again.", ErrorCode::Internal))?)
                }
            };
            Saying::Change(Change::Share { message, extra, id })
        }
        ClientMessage::DeleteNote { message, id } => Saying::Change(Change::Delete { message, id }),
        ClientMessage::RemoveDevice { message } => Saying::Change(Change::RemoveDevice(message)),
        ClientMessage::SaveBeam { message } => {
            let name: String = serde_json::from_str(message.get()).unwrap_or_default();
            let name = BeamName::parse(&name).map_err(|why| (why.0, ErrorCode::BadRequest))?;
            Saying::Change(Change::Save(name))
        }
        ClientMessage::Sync { message } => Saying::Sync(message),
        ClientMessage::Signal { message, extra } => Saying::Signal { message, to: extra.to },
    })
}

/// Whether the key is right (S2). Any key is wrong for a beam without one.
fn is_creator(key: Option<&str>, record: Option<&BeamRecord>) -> Result<bool, CloseCode> {
    let Some(key) = key else { return Ok(false) };
    let hash = BeamKey::parse(key).map_err(|_| CloseCode::Forbidden)?.hash();
    let is_right = record.and_then(|record| record.key_hash) == Some(hash);
    is_right.then_some(true).ok_or(CloseCode::Forbidden)
}

fn fresh<const N: usize>() -> Result<[u8; N], CloseCode> {
    random::bytes().map_err(|error| {
        tracing::error!(%error, "no randomness");
        CloseCode::Overload
    })
}

/// A name that cannot break anybody's screen.
fn tidy(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_DEVICE_NAME).collect();
    let name = name.trim();
    if name.is_empty() { NAMELESS.to_owned() } else { name.to_owned() }
}

/// What a broken stream means for the other side (S14).
fn end_of(broken: Broken) -> End {
    match broken {
        Broken::Lost => End::Lost,
        Broken::TooLarge => End::Close(CloseCode::TooLarge),
        Broken::Malformed => End::Close(CloseCode::BadMessage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn s15_two_mib_of_text_come_at_once_and_then_one_a_second() {
        let now = now();
        let mut allowance = Allowance::full(now);
        for _ in 0..8 {
            assert_eq!(allowance.take(256 * 1024, now), Ok(()));
        }
        let wait = allowance.take(256 * 1024, now).unwrap_err();
        assert!(wait > Duration::from_millis(245) && wait < Duration::from_millis(255), "{wait:?}");
        assert_eq!(allowance.take(256 * 1024, now + wait), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn s15_short_messages_are_limited_by_their_number_alone() {
        let now = now();
        let mut allowance = Allowance::full(now);
        for _ in 0..MESSAGE_BURST {
            assert_eq!(allowance.take(20, now), Ok(()));
        }
        assert!(allowance.take(20, now).is_err());
    }

    /// The clock's now, without asking the system's.
    fn now() -> Instant {
        tokio::time::sleep(Duration::ZERO).deadline()
    }
}
