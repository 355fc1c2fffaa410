//! Looks at a running server as a device does: page, websocket, upload, STUN and TURN.

use std::net::{IpAddr, SocketAddr};

use heliograph_shared::api::doctor::{Diagnosis, Forwarding};
use heliograph_shared::ids::BeamId;
use heliograph_shared::socket::IceServer;
use hyper::{Method, StatusCode};
use rustls::pki_types::ServerName;
use serde_json::Value;

use super::http::{Answer, Failure, Place};
use super::joining::{Unjoined, join};
use super::machine::is_on_the_internet;
use super::report::Check;
use super::{certificate, moment, ports, turn};
use crate::clock::Clock;
use crate::config::Origin;

const CONNECTION: &str = "connection";
const CERTIFICATE: &str = "certificate";
const REDIRECT: &str = "http to https";
const HEALTH: &str = "health";
const NAME: &str = "name of the server";
const PROXY: &str = "proxy headers";
const SOCKET: &str = "websocket";
const UPLOAD: &str = "large upload";
const CLOCK: &str = "clock";

/// Bytes of the upload: more than the 1 MB that nginx allows by default.
const UPLOAD_BYTES: usize = 2 * 1024 * 1024;
/// The first bytes of a picture, since guests upload nothing else.
const PICTURE: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0;";

/// Examines the server at an address. `own` is where a server on this machine would listen.
pub async fn examine(url: &Origin, own: SocketAddr, clock: Clock) -> Vec<Check> {
    let place = Place::of(url);
    let connection = match place.connect().await {
        Ok(connection) => connection,
        Err(Failure::Connect(_)) if is_public(&place).await && is_here(url, own).await => {
            return vec![behind_router(&place)];
        }
        Err(failure) => return vec![judge_failure(&place, &failure)],
    };
    let mut checks =
        vec![Check::ok(CONNECTION, format!("{} takes connections.", place.authority()))];
    if place.tls {
        let name = ServerName::try_from(place.host.as_str()).ok();
        let verdict = certificate::examine(&connection.chain, name.as_ref(), clock.now());
        checks.push(certificate::judge(CERTIFICATE, &verdict, clock.now()));
    } else {
        checks.push(judge_plain(&place.host));
    }
    let own = connection.own.ip();
    drop(connection);
    if place.tls && place.port == 443 {
        checks.push(redirect(&place).await);
    }
    let health = place.get("/healthz").await;
    let ahead = health.as_ref().ok().and_then(|it| moment::ahead(it.header("date"), clock.now()));
    let (check, is_ours) = judge_health(&place, health);
    checks.push(check);
    if !is_ours {
        return checks;
    }
    checks.push(moment::judge(CLOCK, "The server", ahead));
    let public = is_public(&place).await;
    let seen = place.get("/api/doctor").await.ok();
    match seen.and_then(|answer| serde_json::from_slice(&answer.body).ok()) {
        Some(seen) => checks.extend(judge_seen(&place, own, public, &seen)),
        None => checks.push(unseen()),
    }
    let joined = join(&place).await;
    checks.push(judge_socket(joined.as_ref()));
    checks.push(judge_upload(upload(&place, joined.as_ref().ok()).await));
    if let Ok((_, servers)) = joined {
        let setting = turn::Setting { public, from_outside: true };
        if servers.is_empty() {
            checks.push(turn::off());
        } else {
            checks.extend(turn::examine(&servers, setting, None, clock).await);
        }
    }
    checks
}

/// Whether the name leads to an address on the internet.
async fn is_public(place: &Place) -> bool {
    let addresses = place.addresses().await.unwrap_or_default();
    addresses.iter().any(|at| is_on_the_internet(at.ip()))
}

/// Whether a server runs on this machine whose public address is this one.
async fn is_here(url: &Origin, own: SocketAddr) -> bool {
    let Ok(answer) = ports::place(own, false).get("/api/site").await else { return false };
    let site: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    site["public_url"] == url.as_str()
}

fn behind_router(place: &Place) -> Check {
    Check::warning(
        CONNECTION,
        format!(
            "{} cannot be reached from here, but its server runs on this machine: few routers lead a machine inside back \
             to their own outer address.",
            place.authority()
        ),
        "Ask from another network, such as a phone's; devices in this network use the server's local address.",
    )
}

fn judge_failure(place: &Place, failure: &Failure) -> Check {
    let seen = format!("{} cannot be reached: {failure}.", place.authority());
    let advice = match failure {
        Failure::Name => {
            "Make an A or AAAA record for the name at your DNS provider, or correct the address."
        }
        Failure::Tls(_) => {
            "Let the server or its proxy serve https at this port, or ask with http://."
        }
        _ => {
            "Start the server or its proxy, and let TCP to this port in through the firewall and the router."
        }
    };
    Check::failed(CONNECTION, seen, advice)
}

fn judge_plain(host: &str) -> Check {
    if host == "localhost" || host.starts_with("127.") || host == "::1" {
        return Check::skipped(CERTIFICATE, "http, which is enough on one's own machine.");
    }
    Check::warning(
        CERTIFICATE,
        "http without a certificate: browsers then give no camera and no clipboard, and files are kept in memory.",
        "Serve https: by a proxy such as Caddy, or with --tls self-signed in a local network.",
    )
}

async fn redirect(place: &Place) -> Check {
    let plain = Place { tls: false, port: 80, ..place.clone() };
    match plain.get("/").await {
        Ok(answer) if answer.header("location").is_some_and(|to| to.starts_with("https://")) => {
            Check::ok(REDIRECT, "http leads to https.")
        }
        Ok(_) => Check::warning(
            REDIRECT,
            "http shows a page of its own.",
            "Let the proxy redirect http to https, so that people who type the name get the camera and the clipboard.",
        ),
        Err(_) => Check::skipped(REDIRECT, "Nothing listens for http."),
    }
}

fn judge_health(place: &Place, health: Result<Answer, Failure>) -> (Check, bool) {
    let answer = match health {
        Ok(answer) => answer,
        Err(failure) => return (judge_failure(place, &failure), false),
    };
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let failed = |seen: &str, advice: &str| (Check::failed(HEALTH, seen, advice), false);
    match answer.status {
        StatusCode::OK if body["status"] == "ok" => {
            (Check::ok(HEALTH, "The server is well."), true)
        }
        StatusCode::SERVICE_UNAVAILABLE if body["code"].is_string() => (
            Check::failed(
                HEALTH,
                "The server cannot write to its database.",
                "Run `heliograph doctor` on the server's machine with the options of `serve`.",
            ),
            true,
        ),
        StatusCode::MISDIRECTED_REQUEST => failed(
            &format!("The server does not answer to the name {}.", place.host),
            "Start the server with --public-url and this address, and let the proxy pass Host on \
             (nginx: proxy_set_header Host $http_host).",
        ),
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => {
            failed(
                "A proxy answers, but not the server behind it.",
                "Start Heliograph, and let the proxy forward to its address and port.",
            )
        }
        status if status.is_redirection() => failed(
            &format!("It leads to {}.", answer.header("location").unwrap_or("another place")),
            "Run the doctor with the address to which this one leads.",
        ),
        status => failed(
            &format!("Another program answers, with {status}."),
            "Check the address, and let the proxy forward all paths to Heliograph.",
        ),
    }
}

/// The server does not say what it knows of this request.
fn unseen() -> Check {
    Check::failed(
        PROXY,
        "The server did not say how it sees this request.",
        "Let the proxy forward all paths to Heliograph, and update the server if it is older than this command.",
    )
}

/// What the server knows of this request. `public` says that its address is on the internet.
fn judge_seen(place: &Place, own: IpAddr, public: bool, seen: &Diagnosis) -> Vec<Check> {
    let mut checks = vec![if seen.host.eq_ignore_ascii_case(&name_in_host(place)) {
        Check::ok(NAME, format!("The server is asked as {}.", seen.host))
    } else {
        Check::failed(
            NAME,
            format!("The server is asked as {}: the proxy does not pass Host on.", seen.host),
            "Let the proxy pass Host on (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).",
        )
    }];
    let forwarded = "(nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for, and X-Forwarded-Proto $scheme)";
    let address = seen.address.as_deref().and_then(|at| at.parse::<IpAddr>().ok());
    let is_hidden = address.is_some_and(|at| at.is_loopback() && !own.is_loopback());
    // A router that leads its own network back to its public address does the same.
    let may_be_hidden = address.filter(|at| public && !is_on_the_internet(*at) && *at != own);
    checks.push(if place.tls && seen.scheme != "https" {
        Check::failed(
            PROXY,
            "The server takes this https request for http.",
            format!("Let the proxy say the scheme {forwarded}, and name its address with --trusted-proxies."),
        )
    } else if seen.forwarding == Forwarding::Ignored {
        Check::failed(
            PROXY,
            "A proxy says who the caller is, and the server does not believe it.",
            "Name the proxy's address with --trusted-proxies, so that limits count each caller by itself.",
        )
    } else if is_hidden {
        Check::failed(
            PROXY,
            "The server takes everybody for the proxy.",
            format!("Let the proxy say who the caller is {forwarded}."),
        )
    } else if let Some(address) = may_be_hidden {
        Check::warning(
            PROXY,
            format!("The server sees a caller at {address}, which is not this machine's address."),
            format!(
                "If that is a proxy, let it say who the caller is {forwarded}, and name its address with \
                 --trusted-proxies; if it is your router, ask from another network."
            ),
        )
    } else {
        Check::ok(PROXY, "The server knows the caller's address and scheme.")
    });
    checks
}

fn name_in_host(place: &Place) -> String {
    if place.host.contains(':') { format!("[{}]", place.host) } else { place.host.clone() }
}

fn judge_socket(joined: Result<&(BeamId, Vec<IceServer>), &Unjoined>) -> Check {
    match joined {
        Ok(_) => Check::ok(SOCKET, "A device can join a beam."),
        Err(why) => Check::failed(
            SOCKET,
            format!("A device cannot join a beam: {why}."),
            match why {
                Unjoined::Limited => "Wait a minute, and run the doctor again.",
                Unjoined::NoBeam(_) => "Let the proxy forward all paths and methods to Heliograph.",
                Unjoined::NoSocket(_) => {
                    "Let the proxy pass websockets on (nginx: proxy_http_version 1.1, and the headers Upgrade and \
                     Connection)."
                }
            },
        ),
    }
}

/// Uploads a file as a guest. It ends with the doctor's beam.
async fn upload(
    place: &Place,
    joined: Option<&(BeamId, Vec<IceServer>)>,
) -> Result<Answer, Failure> {
    const BOUNDARY: &str = "doctor-5e0d1c0f";
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"doctor.gif\"\r\n\
         Content-Type: image/gif\r\n\r\n"
    );
    let mut body = head.into_bytes();
    body.extend_from_slice(PICTURE);
    body.resize(UPLOAD_BYTES, 0);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    let beam = joined.map(|(beam, _)| format!("?beam_id={beam}")).unwrap_or_default();
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    place.ask(Method::POST, &format!("/api/upload/{beam}"), Some(&kind), body.into()).await
}

fn judge_upload(answer: Result<Answer, Failure>) -> Check {
    let proxy = "Let the proxy take files of any size (nginx: client_max_body_size 0).";
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            return Check::failed(
                UPLOAD,
                format!("A file of 2 MB does not get through: {failure}."),
                proxy,
            );
        }
    };
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let code = body["code"].as_str().unwrap_or_default();
    match answer.status {
        StatusCode::CREATED => {
            Check::ok(UPLOAD, "A file of 2 MB was stored; it ends with the doctor's beam.")
        }
        StatusCode::PAYLOAD_TOO_LARGE if code.is_empty() => {
            Check::failed(UPLOAD, "A proxy takes no file of 2 MB.", proxy)
        }
        StatusCode::PAYLOAD_TOO_LARGE => Check::warning(
            UPLOAD,
            "Guests may not store 2 MB.",
            "Allow more with --guest-file, if that is not intended.",
        ),
        StatusCode::INSUFFICIENT_STORAGE => Check::failed(
            UPLOAD,
            "The server has no room for a file of 2 MB.",
            "Make room on the server's disk, or allow more with --disk-share or the quotas.",
        ),
        StatusCode::BAD_GATEWAY if !code.is_empty() => Check::failed(
            UPLOAD,
            "The server's storage does not answer.",
            "Run `heliograph doctor` on the server's machine with the options of `serve`.",
        ),
        StatusCode::TOO_MANY_REQUESTS => {
            Check::skipped(UPLOAD, "The server takes no more files from this address for a while.")
        }
        status => {
            Check::failed(UPLOAD, format!("A file of 2 MB was answered with {status}."), proxy)
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// A server on this machine that tells this public address.
    async fn server_of(public: &str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let body = format!("{{\"public_url\":\"{public}\"}}");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        address
    }

    #[tokio::test]
    async fn a_public_address_that_leads_to_this_machine_is_known() {
        let own = server_of("https://beam.example.org").await;
        assert!(is_here(&"https://beam.example.org".parse().unwrap(), own).await);
        assert!(!is_here(&"https://other.example.org".parse().unwrap(), own).await);
        assert!(is_public(&Place::of(&"https://93.184.216.34".parse().unwrap())).await);
        assert!(!is_public(&Place::of(&"http://192.168.1.2:8080".parse().unwrap())).await);
    }
}
