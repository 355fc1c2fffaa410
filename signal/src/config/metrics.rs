//! The option about metrics.

use std::net::SocketAddr;
use std::str::FromStr;

/// Where metrics are served, if anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics(pub Option<SocketAddr>);

impl FromStr for Metrics {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => Ok(Self(None)),
            _ => text
                .parse()
                .map(|address| Self(Some(address)))
                .map_err(|_| "expected off, or an address and port such as 127.0.0.1:9464"),
        }
    }
}
