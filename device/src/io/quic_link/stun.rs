//! Where this device is seen by others: STUN servers say so (RFC 8489), through the socket that QUIC then has.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use heliograph_shared::socket::IceServer;
use stun_types::attribute::{AttributeFromRaw as _, AttributeStaticType as _, XorMappedAddress};
use stun_types::message::{
    BINDING, Message, MessageClass, MessageType, MessageWrite as _, MessageWriteVec, TransactionId,
};
use tokio::net::lookup_host;
use tokio::time::{interval, timeout};

use crate::io::ice_address::host_and_port;
use crate::io::system_random::SystemRandom;

/// The other device waits meanwhile.
const LIMIT: Duration = Duration::from_millis(500);
/// After so long a request counts as lost.
const AGAIN: Duration = Duration::from_millis(200);
/// Servers that are asked, at most.
const MOST_SERVERS: usize = 3;
/// Longest answer that is read, in bytes. One that fits no packet is none.
const MOST_ANSWER: usize = 1_500;
/// The port of a server that names none (RFC 7064, section 3.2).
const PORT: u16 = 3478;

/// The address under which a socket is seen; `None` where no server says so in time.
pub(super) async fn seen(socket: &UdpSocket, servers: &[IceServer]) -> Option<SocketAddr> {
    timeout(LIMIT, ask(socket, servers)).await.ok().flatten()
}

async fn ask(socket: &UdpSocket, servers: &[IceServer]) -> Option<SocketAddr> {
    let is_v4 = socket.local_addr().ok()?.is_ipv4();
    let mut addresses = Vec::new();
    for (host, port) in named(servers).take(MOST_SERVERS) {
        let found = lookup_host((host, port)).await.into_iter().flatten();
        addresses.extend(found.filter(|address| address.is_ipv4() == is_v4).take(1));
    }
    if addresses.is_empty() {
        return None;
    }
    let socket = tokio::net::UdpSocket::from_std(socket.try_clone().ok()?).ok()?;
    let transaction = TransactionId::from(u128::from_le_bytes(SystemRandom::bytes()));
    let request = request(transaction);
    let (mut requests, mut answer) = (interval(AGAIN), [0; MOST_ANSWER]);
    loop {
        tokio::select! {
            _ = requests.tick() => {
                let mut is_sent = false;
                for address in &addresses {
                    // Another server may be reached.
                    is_sent |= socket.send_to(&request, address).await.is_ok();
                }
                // There is no way for this family of addresses.
                if !is_sent {
                    return None;
                }
            }
            Ok((length, _)) = socket.recv_from(&mut answer) => {
                if let Some(seen) = answer.get(..length).and_then(|answer| read(answer, transaction)) {
                    return Some(seen);
                }
            }
        }
    }
}

/// The hosts and ports of the STUN servers among them.
fn named(servers: &[IceServer]) -> impl Iterator<Item = (&str, u16)> {
    let urls = servers.iter().flat_map(|server| &server.urls);
    urls.filter_map(|url| host_and_port(url.strip_prefix("stun:")?, PORT))
}

fn request(transaction: TransactionId) -> Vec<u8> {
    let kind = MessageType::from_class_method(MessageClass::Request, BINDING);
    Message::builder(kind, transaction, MessageWriteVec::new()).finish()
}

/// The address in an answer; `None` where it is not one to this request.
fn read(answer: &[u8], transaction: TransactionId) -> Option<SocketAddr> {
    let message = Message::from_bytes(answer).ok()?;
    let is_answer = message.class() == MessageClass::Success && message.has_method(BINDING);
    if !is_answer || message.transaction_id() != transaction {
        return None;
    }
    let address = message.raw_attribute(XorMappedAddress::TYPE)?;
    Some(XorMappedAddress::from_raw_ref(&address).ok()?.addr(transaction))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test]
    async fn l7_a_socket_hears_of_the_address_under_which_it_is_seen() {
        let server = tokio::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("stun:{}", server.local_addr().unwrap());
        let urls = vec!["turn:127.0.0.1:1".to_owned(), url];
        let servers = [IceServer { urls, username: None, credential: None }];
        let seen_as = SocketAddr::from(([192, 0, 2, 7], 4_711));
        tokio::spawn(async move {
            let mut request = [0; MOST_ANSWER];
            let (length, from) = server.recv_from(&mut request).await.unwrap();
            let transaction = Message::from_bytes(&request[..length]).unwrap().transaction_id();
            let kind = MessageType::from_class_method(MessageClass::Success, BINDING);
            // Others send, too.
            server.send_to(b"nonsense", from).await.unwrap();
            for (number, address) in [
                (TransactionId::from(1), SocketAddr::from(([192, 0, 2, 8], 9))),
                (transaction, seen_as),
            ] {
                let mut answer = Message::builder(kind, number, MessageWriteVec::new());
                answer.push_attribute_unchecked(&XorMappedAddress::new(address, number));
                server.send_to(&answer.finish(), from).await.unwrap();
            }
        });
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        // A machine that is busy may take longer than others wait.
        let asked = timeout(Duration::from_secs(20), ask(&socket, &servers)).await;
        assert_eq!(asked, Ok(Some(seen_as)));
    }

    #[tokio::test]
    async fn l7_nothing_is_waited_for_where_no_request_can_be_sent() {
        let urls = vec!["stun:192.0.2.1:9".to_owned()];
        let servers = [IceServer { urls, username: None, credential: None }];
        // Nothing leads from the loopback interface to there.
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        let asked = timeout(Duration::from_secs(20), ask(&socket, &servers)).await;
        assert_eq!(asked, Ok(None));
    }

    #[test]
    fn servers_are_found_by_name_and_by_either_kind_of_address() {
        let urls = ["stun:a.example", "stun:192.0.2.1:9", "stun:[2001:db8::1]:9", "stun:[::1]"];
        let urls = [&urls[..], &["turn:a.example:9", "stuns:a.example", "stun:a:70000"]].concat();
        let urls = urls.into_iter().map(str::to_owned).collect();
        let servers = [IceServer { urls, username: None, credential: None }];
        let found: Vec<_> = named(&servers).collect();
        let right = [("a.example", 3478), ("192.0.2.1", 9), ("2001:db8::1", 9), ("::1", 3478)];
        assert_eq!(found, right);
    }
}
