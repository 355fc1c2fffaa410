//! The library's connection, with the settings under which it is fast and its memory bounded.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use heliograph_shared::socket::IceServer;
use rtc::ice::mdns::MulticastDnsMode;
use rtc::peer_connection::configuration::setting_engine::SctpMaxMessageSize;
use tokio::sync::mpsc::UnboundedSender;
use webrtc::data_channel::{DataChannel, RTCDataChannelInit};
use webrtc::error::Result;
use webrtc::peer_connection::{
    PeerConnection, PeerConnectionBuilder, PeerConnectionEventHandler, RTCConfiguration,
    RTCConfigurationBuilder, RTCIceConnectionState, RTCIceServer, RTCPeerConnectionIceEvent,
    RTCPeerConnectionState, SettingEngine, SettingEngineBuilder,
};

use super::runtime::LinkRuntime;
use crate::io::turn_stream::TurnStreams;

/// Bytes of one channel that are not acknowledged, at most. SCTP keeps the line busy with them while a file is read: 2 MiB are
/// 40 MB/s at a round trip of 50 ms.
pub(super) const SEND_BUFFER_BYTES: usize = 2 * 1024 * 1024;
/// Bytes that the other device may send ahead. With the library's 1 MiB a connection carries 20 MB/s at 50 ms.
const RECEIVE_BUFFER_BYTES: u32 = 8 * 1024 * 1024;
/// Largest message that is taken (F8). Browsers announce the same.
const MAX_MESSAGE_BYTES: u32 = 256 * 1024;

/// Ids of the channels that both sides negotiate (L5).
const BULK: u16 = 10;
const CONTROL: u16 = 11;

/// What the library tells of a connection. It comes from the task that moves the packets, which must not wait.
pub(super) enum Told {
    /// An address of this device, as a line of SDP.
    Candidate(String),
    Ice(RTCIceConnectionState),
    /// The connection has failed, or was closed.
    Over,
    /// The other device has opened a channel.
    Channel(Arc<dyn DataChannel>),
}

pub(super) struct Connection {
    pub(super) peer: Arc<dyn PeerConnection>,
    pub(super) bulk: Arc<dyn DataChannel>,
    pub(super) control: Arc<dyn DataChannel>,
}

/// Makes a connection that has not begun to negotiate, and its ways to TURN servers by streams.
pub(super) async fn connect(
    ice_servers: &[IceServer],
    addresses: &[SocketAddr],
    told: UnboundedSender<Told>,
) -> Result<(Connection, TurnStreams)> {
    let handler = Arc::new(Handler { told });
    let streams = TurnStreams::prepare(ice_servers, addresses);
    let servers = usable(ice_servers, &streams);
    let peer = match Box::pin(build(servers, addresses, handler.clone())).await {
        Ok(peer) => peer,
        // Without the servers if their addresses are refused: devices of one network then still meet.
        Err(_) => Box::pin(build(Vec::new(), addresses, handler)).await?,
    };
    let bulk = negotiated(BULK, true);
    // The library sends what is ordered in the order in which it was given, whatever the channel. What is not goes ahead of it, so
    // that other frames than chunks do not wait behind all that are queued (L5). They overtake each other only where packets are
    // lost, as the frames on two connections of a bundle do.
    let control = negotiated(CONTROL, false);
    let connection = Connection {
        bulk: peer.create_data_channel("bulk", Some(bulk)).await?,
        control: peer.create_data_channel("control", Some(control)).await?,
        peer,
    };
    Ok((connection, streams))
}

fn negotiated(id: u16, ordered: bool) -> RTCDataChannelInit {
    RTCDataChannelInit { negotiated: Some(id), ordered, ..RTCDataChannelInit::default() }
}

async fn build(
    servers: Vec<RTCIceServer>,
    addresses: &[SocketAddr],
    handler: Arc<Handler>,
) -> Result<Arc<dyn PeerConnection>> {
    let may_relay = servers.iter().any(|server| !server.username.is_empty());
    let built = PeerConnectionBuilder::new()
        .with_configuration(configuration(servers))
        .with_setting_engine(settings())
        .with_handler(handler)
        .with_runtime(Arc::new(LinkRuntime::new(may_relay)))
        .with_udp_addrs(addresses.to_vec())
        .with_data_channel_send_buffer_limit(SEND_BUFFER_BYTES)
        .build();
    Ok(Arc::new(Box::pin(built).await?))
}

pub(super) fn configuration(servers: Vec<RTCIceServer>) -> RTCConfiguration {
    RTCConfigurationBuilder::default().with_ice_servers(servers).build()
}

/// Packets keep the library's size, which no tunnel splits: a larger one saves a little where it fits, and where it does not,
/// nothing arrives.
fn settings() -> SettingEngine {
    SettingEngineBuilder::new()
        .with_sctp_max_message_size(SctpMaxMessageSize::Bounded(MAX_MESSAGE_BYTES))
        .with_sctp_max_receive_buffer_size(RECEIVE_BUFFER_BYTES)
        // A network that changes has other addresses (L4).
        .with_discard_local_candidates_during_ice_restart(true)
        // A browser hides its addresses behind names of mDNS, and finds those of this device by itself. To look names up, each
        // connection would need a socket of its own on the port of mDNS, and fail where it gets none.
        .with_multicast_dns_mode(MulticastDnsMode::Disabled)
        .build()
}

/// The servers that the library can use: STUN, and TURN over UDP, or over a stream by an address on this machine. One address that it
/// cannot read would cost it all of them.
pub(super) fn usable(servers: &[IceServer], streams: &TurnStreams) -> Vec<RTCIceServer> {
    let mut usable = Vec::new();
    for server in servers {
        let username = server.username.clone().unwrap_or_default();
        let credential = server.credential.clone().unwrap_or_default();
        for url in &server.urls {
            let is_known = !username.is_empty() && !credential.is_empty();
            let url = match streams.local(url) {
                Some(local) if is_known => local,
                None if url.starts_with("stun:") || (is_known && is_over_udp(url)) => url,
                _ => continue,
            };
            let (username, credential) = (username.clone(), credential.clone());
            usable.push(RTCIceServer { urls: vec![url.to_owned()], username, credential });
        }
    }
    usable
}

fn is_over_udp(url: &str) -> bool {
    url.starts_with("turn:") && !url.ends_with("transport=tcp")
}

struct Handler {
    told: UnboundedSender<Told>,
}

impl Handler {
    fn tell(&self, told: Told) {
        let _ = self.told.send(told);
    }
}

#[async_trait]
impl PeerConnectionEventHandler for Handler {
    async fn on_ice_candidate(&self, event: RTCPeerConnectionIceEvent) {
        // A socket of all addresses, which stands for none where the device has no network.
        let address = event.candidate.address.parse::<IpAddr>();
        if address.is_ok_and(|address| address.is_unspecified()) {
            return;
        }
        if let Ok(candidate) = event.candidate.to_json() {
            self.tell(Told::Candidate(candidate.candidate));
        }
    }

    async fn on_ice_connection_state_change(&self, state: RTCIceConnectionState) {
        self.tell(Told::Ice(state));
    }

    async fn on_connection_state_change(&self, state: RTCPeerConnectionState) {
        if matches!(state, RTCPeerConnectionState::Failed | RTCPeerConnectionState::Closed) {
            self.tell(Told::Over);
        }
    }

    async fn on_data_channel(&self, channel: Arc<dyn DataChannel>) {
        self.tell(Told::Channel(channel));
    }
}
