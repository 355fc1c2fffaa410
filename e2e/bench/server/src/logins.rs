//! Logins: as many as the cores can hash, while the rest of the server stays responsive.

use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use serde_json::json;
use tokio::time::Instant;

use crate::Failure;
use crate::http::{Connection, load};
use crate::people::{PASSWORD, register};
use crate::process::Process;
use crate::table::{Row, Target, median};

/// Concurrent logins, enough to keep every core busy.
const AT_ONCE: usize = 16;
const TIME: Duration = Duration::from_secs(10);
const HASHES: usize = 20;

/// Measures the logins per second against their bound, and the 99th percentile of the health check meanwhile.
pub async fn measure(heliograph: &Path) -> Result<[Row; 2], Failure> {
    let product = Process::product(heliograph).await?;
    let host = product.address;
    for number in 0..AT_ONCE {
        register(host, &format!("ada{number}")).await?;
    }
    let bound = bound()?;
    let health = tokio::spawn(async move { load(host, "/healthz", "", 1, TIME).await });
    let started = Instant::now();
    let people = (0..AT_ONCE).map(|number| {
        tokio::spawn(async move {
            let mut connection = Connection::open(host).await?;
            let body = json!({"username": format!("ada{number}"), "password": PASSWORD});
            let body = body.to_string();
            let mut logins = 0;
            while started.elapsed() < TIME {
                let headers = "content-type: application/json\r\n";
                let path = "/api/auth/login/";
                let answer = connection.ask("POST", path, headers, body.as_bytes()).await?;
                if answer.status != 200 {
                    return Err(format!("login answered {}", answer.status).into());
                }
                logins += 1;
            }
            Ok::<u32, Failure>(logins)
        })
    });
    let mut logins = 0;
    for person in people.collect::<Vec<_>>() {
        logins += person.await??;
    }
    let rate = f64::from(logins) / started.elapsed().as_secs_f64();
    let health = health.await??;
    Ok([
        Row {
            figure: "logins, cores over one argon2id hash".to_owned(),
            product: format!("{rate:.1} /s"),
            reference: format!("{bound:.1} /s"),
            value: rate / bound,
            target: Target::AtLeast(0.9),
        },
        Row {
            figure: "p99 of /healthz during it, ms".to_owned(),
            product: format!("{:.1} ms", health.p99.as_secs_f64() * 1e3),
            reference: String::new(),
            value: health.p99.as_secs_f64() * 1e3,
            target: Target::AtMost(50.0),
        },
    ])
}

/// Logins per second if only the hash took time: m = 19 MiB, t = 2, p = 1, on every core at once.
fn bound() -> Result<f64, Failure> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let workers: Vec<_> = (0..cores).map(|_| std::thread::spawn(hashes_per_second)).collect();
    let mut sum = 0.0;
    for worker in workers {
        sum += worker.join().map_err(|_| "a worker ended")??;
    }
    Ok(sum)
}

fn hashes_per_second() -> Result<f64, Failure> {
    let params = Params::new(19 * 1024, 2, 1, None).map_err(|error| error.to_string())?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut times = Vec::new();
    for _ in 0..HASHES {
        let (started, mut hash) = (Instant::now(), [0; 32]);
        argon2
            .hash_password_into(PASSWORD.as_bytes(), b"salt of sixteen.", &mut hash)
            .map_err(|error| error.to_string())?;
        times.push(started.elapsed().as_secs_f64());
    }
    Ok(1.0 / median(times))
}
