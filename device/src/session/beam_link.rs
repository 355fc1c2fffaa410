//! Reads and makes the link of a beam (E1): the address of its server, its id, and the secret behind `#k=`.

use std::net::IpAddr;

use heliograph_shared::e2ee::invite::Invite;
use heliograph_shared::ids::BeamId;
use url::{Host, Url};
use zeroize::Zeroizing;

/// The query parameter that carries the id.
const BEAM_PARAM: &str = "beam_id";
const SECRET_MARKER: &str = "#k=";

/// What a link says.
#[derive(Clone)]
pub struct BeamLink {
    /// The address of the server, without a path.
    pub server: Url,
    /// The beam.
    pub beam: BeamId,
    /// The secret; `None` for a link without one.
    pub invite: Option<Invite>,
}

/// Why a text is no link of a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLink {
    /// It is no address by http or https.
    NoAddress,
    /// It names no beam.
    NoBeam,
    /// Its secret has lost a part. It would lead into the beam as if it had none.
    Broken,
}

impl BeamLink {
    /// Reads a link.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, NoLink> {
        let url = Url::parse(text.trim()).map_err(|_| NoLink::NoAddress)?;
        let server = server_of(&url).ok_or(NoLink::NoAddress)?;
        let beam = url.query_pairs().find(|(name, _)| name == BEAM_PARAM);
        let beam = beam.and_then(|(_, id)| BeamId::parse(id.trim()).ok()).ok_or(NoLink::NoBeam)?;
        let invite = match url.fragment() {
            Some(fragment) if fragment.starts_with("k=") => {
                let fragment = Zeroizing::new(format!("#{fragment}"));
                Some(Invite::from_fragment(&fragment).map_err(|_| NoLink::Broken)?)
            }
            _ => None,
        };
        Ok(Self { server, beam, invite })
    }

    /// The link. Who has it may join, so it is shown to the person and goes into no log.
    ///
    /// A secret opens nothing on a page without https, other than on the same machine, and whoever is on the way there could read it: it
    /// goes into no such link.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        let server = self.server.as_str().trim_end_matches('/');
        let plain = format!("{server}/?{BEAM_PARAM}={}", self.beam);
        match &self.invite {
            Some(invite) if opens_sealed(&self.server) => {
                Zeroizing::new([plain.as_str(), &invite.to_fragment()].concat())
            }
            _ => Zeroizing::new(plain),
        }
    }
}

/// The address of a server by http or https, without path, query and what a person logs in with; `None` for any other address.
#[must_use]
pub fn server_of(address: &Url) -> Option<Url> {
    if !matches!(address.scheme(), "http" | "https") || !address.has_host() {
        return None;
    }
    Url::parse(&address.origin().ascii_serialization()).ok()
}

/// Whether a page at this address can seal: a browser has what it needs by https, and for the machine that it runs on (E1).
#[must_use]
pub fn opens_sealed(address: &Url) -> bool {
    address.scheme() == "https"
        || match address.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
            Some(Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
            None => false,
        }
}

/// Whether a text has the secret of a link, or what is left of one.
#[must_use]
pub fn has_secret(text: &str) -> bool {
    text.contains(SECRET_MARKER)
}
