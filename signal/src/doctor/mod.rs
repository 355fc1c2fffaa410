//! The doctor: looks at a set-up, or at a running server from outside, and says for each thing what to do. Looking and
//! judging are apart: a judgement is a function of what was seen.

mod bus;
mod certificate;
mod health;
mod http;
mod joining;
mod machine;
mod moment;
mod outside;
mod ports;
mod relay;
pub mod report;
mod stores;
mod turn;

use rustls::pki_types::ServerName;

use crate::clock::Clock;
use crate::config::{Config, Origin};
use crate::https;
use crate::https::options::Tls;
pub use health::health;
use report::{Check, Report};

const CERTIFICATE: &str = "certificate";
const HTTP: &str = "port for http";
const HTTPS: &str = "port for https";
const CLOCK: &str = "clock";
/// When this program was made, about: no clock may be before it. 2026-01-01, in milliseconds since 1970.
const MADE: i64 = 1_767_225_600_000;

/// Examines the server at an address, or this machine's own set-up.
pub async fn examine(config: &Config, url: Option<&Origin>, clock: Clock) -> Report {
    let checks = match url {
        Some(url) => outside::examine(url, config.listen, clock).await,
        None => own(config, clock).await,
    };
    Report { checks }
}

async fn own(config: &Config, clock: Clock) -> Vec<Check> {
    let config = &Config { public_url: config.public_url(), ..config.clone() };
    let mut checks = vec![machine::data_folder(&config.data), stores::database(config).await];
    checks.extend(stores::store(config, clock).await);
    checks.extend(bus::check(config).await);
    checks.push(machine::disk(config));
    checks.push(machine::staging_disk(config));
    checks.push(machine::open_files(config));
    checks.push(judge_clock(clock));
    let found = ports::look(config.listen, false).await;
    checks.push(ports::judge(HTTP, config.listen, &found, "--listen"));
    if let Some(address) = config.tls.address(config.listen.ip()) {
        let found = ports::look(address, true).await;
        checks.push(ports::judge(HTTPS, address, &found, "--tls-listen"));
    }
    checks.push(own_certificate(config, clock));
    let (check, public) = machine::public_address(config).await;
    checks.push(check);
    checks.push(machine::addresses(config));
    let running = matches!(found, ports::Found::Heliograph);
    let setting = turn::Setting { public, from_outside: false };
    checks.extend(turn::own(config, running, setting, clock).await);
    checks
}

fn judge_clock(clock: Clock) -> Check {
    if clock.now().get() < MADE {
        let advice = "Set this machine's clock by NTP (on most systems: timedatectl set-ntp true).";
        return Check::failed(CLOCK, "This machine's clock is years behind.", advice);
    }
    Check::ok(CLOCK, "This machine's clock is plausible.")
}

fn own_certificate(config: &Config, clock: Clock) -> Check {
    let read = match https::stored(&config.tls, &config.data) {
        Ok(Some(read)) => read,
        Ok(None) => return without_certificate(&config.tls.certificate),
        Err(error) => {
            return Check::failed(
                CERTIFICATE,
                format!("It cannot be used: {}.", crate::error::causes(&error)),
                match config.tls.certificate {
                    Tls::Acme | Tls::SelfSigned => {
                        "Move the folder tls out of the data folder; the next start gets or makes another certificate."
                    }
                    Tls::Off | Tls::Files { .. } => {
                        "Name the certificate and the key that belong together, as PEM files, with --tls CERT,KEY."
                    }
                },
            );
        }
    };
    let is_self_signed = config.tls.certificate == Tls::SelfSigned;
    let name = config.public_url.as_ref().filter(|_| !is_self_signed);
    let name = name.map(|url| http::Place::of(url).host);
    let name = name.and_then(|host| ServerName::try_from(host).ok());
    let now = clock.now();
    certificate::judge(CERTIFICATE, &certificate::examine(&read.cert, name.as_ref(), now), now)
}

fn without_certificate(tls: &Tls) -> Check {
    let seen = match tls {
        Tls::Off => {
            let seen = "--tls is off: a proxy serves https, or nobody does.";
            return Check::skipped(CERTIFICATE, seen);
        }
        Tls::Acme => "The first start gets one from the ACME server.",
        Tls::SelfSigned | Tls::Files { .. } => {
            "The first start makes one for this machine's addresses."
        }
    };
    Check::ok(CERTIFICATE, seen)
}
