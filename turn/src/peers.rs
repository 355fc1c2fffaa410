//! Which peers may be reached through a relay. What is not an ordinary address of the internet is denied: a relay stands
//! inside the operator's network, and must not be a way into it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(first: u16, second: u16, third: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0), length)
}

/// IANA's special-purpose addresses, as far as they are not reachable from everywhere.
const DENIED_V4: [Ipv4Net; 14] = [
    v4(0, 0, 0, 0, 8),       // this network, unspecified
    v4(10, 0, 0, 0, 8),      // private
    v4(100, 64, 0, 0, 10),   // shared by the customers of a provider
    v4(127, 0, 0, 0, 8),     // loopback
    v4(169, 254, 0, 0, 16),  // link-local, and the metadata of clouds
    v4(172, 16, 0, 0, 12),   // private
    v4(192, 0, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 0, 24),    // documentation
    v4(192, 88, 99, 0, 24),  // relays of 6to4
    v4(192, 168, 0, 0, 16),  // private
    v4(198, 18, 0, 0, 15),   // measurements
    v4(198, 51, 100, 0, 24), // documentation
    v4(203, 0, 113, 0, 24),  // documentation
    v4(224, 0, 0, 0, 3),     // multicast, reserved, broadcast
];

/// Only `2000::/3` is given out to hosts at all. Of that, these are not for everybody, or hide another address: the forms
/// that a gateway turns into IPv4 are denied whatever stands inside.
const DENIED_V6: [Ipv6Net; 5] = [
    v6(0x2001, 0, 0, 23),     // protocol assignments, Teredo, ORCHID
    v6(0x2001, 0xdb8, 0, 32), // documentation
    v6(0x2002, 0, 0, 16),     // 6to4
    v6(0x3ffe, 0, 0, 16),     // an experiment that has ended
    v6(0x3fff, 0, 0, 20),     // documentation
];

/// The part of IPv6 that hosts of the internet have. `::`, `::1`, mapped (`::ffff:0:0/96`), compatible (`::/96`),
/// translated (`64:ff9b::/96`, `64:ff9b:1::/48`), unique local, link-local and multicast addresses are outside.
const HOSTS_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// IPv4 addresses in the form of IPv6. The system would send to the address inside.
const MAPPED: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);

/// Decides about the addresses of peers.
#[derive(Clone, Debug, Default)]
pub struct PeerPolicy {
    allowed: Vec<IpNet>,
}

impl PeerPolicy {
    /// Networks named here are allowed although they are special: a home network wants its own range.
    #[must_use]
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed }
    }

    /// Whether a relay may exchange data with this host.
    #[must_use]
    pub fn permits(&self, host: IpAddr) -> bool {
        is_host_of_the_internet(host) || self.names(host)
    }

    /// Whether a network was named that has this host.
    #[must_use]
    pub fn names(&self, host: IpAddr) -> bool {
        !is_never_a_host(host) && self.allowed.iter().any(|network| network.contains(&host))
    }
}

fn is_host_of_the_internet(host: IpAddr) -> bool {
    match host {
        IpAddr::V4(host) => !DENIED_V4.iter().any(|network| network.contains(&host)),
        IpAddr::V6(host) => {
            HOSTS_V6.contains(&host) && !DENIED_V6.iter().any(|network| network.contains(&host))
        }
    }
}

/// What no list can allow: `::ffff:10.0.0.1` is not the way to name 10.0.0.1, and one datagram to a group reaches many.
fn is_never_a_host(host: IpAddr) -> bool {
    let mapped = matches!(host, IpAddr::V6(host) if MAPPED.contains(&host));
    let broadcast = host == IpAddr::V4(Ipv4Addr::BROADCAST);
    mapped || broadcast || host.is_unspecified() || host.is_multicast()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One address of each form that leads to somewhere else than to a host of the internet.
    const SPECIAL: [&str; 44] = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.254",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.254",
        "192.0.0.8",
        "192.0.0.170",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.254",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::2",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "5f00::1",
    ];

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_not_a_host_of_the_internet_is_denied() {
        let policy = PeerPolicy::default();
        let permitted: Vec<_> =
            SPECIAL.into_iter().filter(|host| policy.permits(ip(host))).collect();
        assert_eq!(permitted, Vec::<&str>::new());
    }

    #[test]
    fn hosts_of_the_internet_are_permitted() {
        let policy = PeerPolicy::default();
        for host in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.254",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2001:200::1",
            "2003::1",
        ] {
            assert!(policy.permits(ip(host)), "{host}");
        }
    }

    #[test]
    fn a_network_that_is_named_is_allowed_and_nothing_beside_it() {
        let policy = PeerPolicy::new(vec!["192.168.1.0/24".parse().unwrap()]);
        assert!(policy.permits(ip("192.168.1.7")));
        assert!(!policy.permits(ip("192.168.2.7")));
        assert!(!policy.permits(ip("::ffff:192.168.1.7")));
    }

    #[test]
    fn no_list_allows_groups_or_ipv4_in_the_form_of_ipv6() {
        let everything = ["0.0.0.0/0", "::/0"].map(|network| network.parse().unwrap());
        let policy = PeerPolicy::new(everything.to_vec());
        for host in ["0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1", "::ffff:1.1.1.1"] {
            assert!(!policy.permits(ip(host)), "{host}");
        }
        assert!(policy.permits(ip("127.0.0.1")) && policy.permits(ip("::1")));
    }
}
