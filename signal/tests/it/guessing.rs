//! A1, H11: what guessing names and passwords reveals, and what a flood of guesses costs.

use std::time::Instant;

use futures_util::future::join_all;
use heliograph_signal::limits::Limits;
use serde_json::json;
use tokio::net::TcpStream;

use super::person::Person;
use super::program::Program;
use super::server::{TestServer, send, until};

#[tokio::test]
async fn h11_an_unknown_name_takes_as_long_as_a_wrong_password() {
    const ROUNDS: usize = 4;
    let server = TestServer::start().await;
    let mut ratios = Vec::new();
    for n in 0..3 {
        let known = format!("known{n}");
        server.registered(&known).await;
        for _ in 0..ROUNDS {
            // One right after the other, so that other load on the machine affects both.
            let [known, unknown] = [known.clone(), format!("unknown{n}")].map(async |name| {
                let mut guesser = Person { password: "a guess".to_owned(), ..server.person(&name) };
                let start = now();
                assert_eq!(guesser.logs_in().await.status, 401);
                start.elapsed().as_secs_f64()
            });
            let known = known.await;
            ratios.push(unknown.await / known);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios[ratios.len() / 2];
    // Without hashing for unknown names, their time would be a hundredth. Other load on the machine may meet one of the two.
    assert!((0.2..5.0).contains(&middle), "{ratios:?}");
}

#[tokio::test]
async fn h11_a_known_device_logs_in_thirty_times_at_once_and_keeps_no_other_account_out() {
    let server = TestServer::start().await;
    let (mut ada, mut bob) = (server.registered("ada").await, server.registered("bob").await);
    for n in 0..30 {
        assert_eq!(ada.logs_in().await.status, 200, "{n}");
    }
    let account = ada.account().await;
    let takes = |limits: &Limits, _, now| limits.try_known_password(account, now);
    assert!(server.has_none_left("192.0.2.1", takes) < 15);

    assert_eq!(ada.logs_in().await.status, 429);

    assert_eq!(bob.logs_in().await.status, 200);
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long something takes is asked of the real clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a1_five_hundred_logins_at_once_cost_bounded_memory_and_the_server_answers_meanwhile() {
    let server = Program::start(&[], &[]);
    let before = server.peak();
    let login = |n: usize| {
        let address = server.address.clone();
        async move {
            let stream = TcpStream::connect(&address).await.unwrap();
            let body = json!({"username": format!("guess{n}"), "password": "a guess"}).to_string();
            let headers = [("content-type", "application/json")];
            let path = "/api/auth/login/";
            send(stream, &address, "POST", path, &headers, body.as_bytes()).await
        }
    };

    let is_well = until(async || {
        let stream = TcpStream::connect(&server.address).await.unwrap();
        send(stream, &server.address, "GET", "/healthz", &[], b"").await.status == 200
    });
    let (answers, ()) = tokio::join!(join_all((0..500).map(login)), is_well);

    for answer in &answers {
        match answer.status {
            401 => assert_eq!(answer.json()["detail"], "Invalid credentials"),
            // Refused, because the wait would be too long.
            503 => assert_eq!(answer.header("retry-after"), "5"),
            other => panic!("{other}: {answer:?}"),
        }
    }
    let heard = answers.iter().filter(|answer| answer.status == 401).count();
    assert!(heard > 0, "nobody was heard");
    let cores = u64::try_from(std::thread::available_parallelism().unwrap().get()).unwrap();
    let most = before + cores * 19 + 32;
    assert!(server.peak() <= most, "{} of {most} MiB, {before} before", server.peak());
    println!("{heard} heard, {before} MiB before and {} at most", server.peak());
}
