//! This machine's addresses, and which one other devices on the local network can reach (P3).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Prefixes of interfaces that lead to containers and virtual machines, not to the local network.
const VIRTUAL: [&str; 8] = ["docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "cni", "flannel"];

/// Every address of this machine except loopback and link-local ones, sorted and without duplicates.
///
/// # Errors
/// The system does not tell them, for want of descriptors for example.
pub fn addresses() -> io::Result<Vec<IpAddr>> {
    let mut addresses: Vec<_> = interfaces()?.into_iter().map(|(_, address)| address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses)
}

/// The machine's host name, if it has one in UTF-8.
#[must_use]
pub fn host_name() -> Option<String> {
    gethostname::gethostname().into_string().ok().filter(|name| !name.is_empty())
}

fn interfaces() -> io::Result<Vec<(String, IpAddr)>> {
    let found = if_addrs::get_if_addrs()?
        .into_iter()
        .map(|interface| (interface.name.clone(), interface.ip()));
    Ok(found.filter(|(_, address)| can_be_reached(*address)).collect())
}

fn can_be_reached(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !(v4.is_loopback() || v4.is_link_local() || v4.is_unspecified()),
        IpAddr::V6(v6) => !(v6.is_loopback() || v6.is_unicast_link_local() || v6.is_unspecified()),
    }
}

/// Sort key, best first: private IPv4, other IPv4, IPv6; physical interfaces before virtual ones.
fn preference(name: &str, address: IpAddr) -> (bool, u8) {
    let is_virtual = VIRTUAL.iter().any(|prefix| name.starts_with(prefix));
    let kind = match address {
        IpAddr::V4(v4) if v4.octets()[..2] == [192, 168] => 0,
        IpAddr::V4(v4) if v4.is_private() => 1,
        IpAddr::V4(_) => 2,
        IpAddr::V6(_) => 3,
    };
    (is_virtual, kind)
}

/// The address at which the network reaches this listener; `None` for a listener on loopback (P3).
#[must_use]
pub fn reachable(listening: IpAddr) -> Option<IpAddr> {
    reachable_by(listening, &interfaces().unwrap_or_default())
}

/// The address from which this machine sends to the internet, by its routes; `None` without such a route. `family` is
/// the unspecified address of one. Nothing is sent.
#[must_use]
pub fn outward(family: IpAddr) -> Option<IpAddr> {
    // Addresses for documentation (RFC 5737, RFC 3849), which only the default route leads to.
    let far: IpAddr = match family {
        IpAddr::V4(_) => Ipv4Addr::new(203, 0, 113, 1).into(),
        IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
    };
    let socket = UdpSocket::bind((family, 0)).ok()?;
    socket.connect((far, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    can_be_reached(own).then_some(own)
}

/// The best address among these interfaces, given as name and address, that the listener serves.
fn reachable_by(listening: IpAddr, interfaces: &[(String, IpAddr)]) -> Option<IpAddr> {
    if !listening.is_unspecified() {
        return can_be_reached(listening).then_some(listening);
    }
    let served = interfaces.iter().filter(|(_, own)| own.is_ipv4() || listening.is_ipv6());
    let best = served.min_by_key(|(name, own)| preference(name, *own));
    best.map(|(_, own)| *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reachable_at(listening: &str, interfaces: &[(&str, &str)]) -> Option<IpAddr> {
        let own = |(name, own): &(&str, &str)| ((*name).to_owned(), own.parse().unwrap());
        let interfaces: Vec<_> = interfaces.iter().map(own).collect();
        reachable_by(listening.parse().unwrap(), &interfaces)
    }

    #[test]
    fn p3_a_listener_on_loopback_has_no_network_address() {
        let interfaces = [("wlan0", "192.168.1.2")];
        assert_eq!(reachable_at("127.0.0.1", &interfaces), None);
        assert_eq!(reachable_at("::1", &interfaces), None);
    }

    #[test]
    fn p3_a_listener_on_one_address_is_reached_there() {
        let own = "192.168.3.4".parse().ok();
        assert_eq!(reachable_at("192.168.3.4", &[("wlan0", "192.168.1.2")]), own);
    }

    #[test]
    fn p3_a_listener_on_every_address_is_reached_at_the_best_one_that_it_serves() {
        let v6 = ("eth0", "2001:db8::2");
        let interfaces = [v6, ("docker0", "172.17.0.1"), ("wlan0", "192.168.1.2")];
        assert_eq!(reachable_at("0.0.0.0", &interfaces), "192.168.1.2".parse().ok());
        assert_eq!(reachable_at("::", &interfaces), "192.168.1.2".parse().ok());
        assert_eq!(reachable_at("0.0.0.0", &[v6]), None);
        assert_eq!(reachable_at("::", &[v6]), "2001:db8::2".parse().ok());
        assert_eq!(reachable_at("0.0.0.0", &[]), None);
    }

    #[test]
    fn p3_the_room_next_door_comes_before_containers() {
        let at = |name: &str, text: &str| preference(name, text.parse().unwrap());
        assert!(at("wlan0", "192.168.1.2") < at("eth0", "10.0.0.2"));
        assert!(at("eth0", "10.0.0.2") < at("eth0", "203.0.113.2"));
        assert!(at("eth0", "203.0.113.2") < at("eth0", "2001:db8::2"));
        assert!(at("eth0", "2001:db8::2") < at("docker0", "192.168.1.2"));
    }
}
