//! The lease: one server per database.

use std::fs::File;
use std::pin::pin;
use std::process::Command;
use std::time::Duration;

use futures_util::FutureExt as _;
use heliograph_storage::{Lease, LeaseError, Location};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use crate::postgres::fresh_database;

#[tokio::test]
async fn a_second_server_on_the_same_tables_is_refused_until_the_first_one_ends() {
    let folder = tempfile::tempdir().unwrap();
    for location in
        [Location::Folder(folder.path().to_owned()), Location::Postgres(fresh_database())]
    {
        println!("on {location:?}");
        let first = Lease::take(&location).await.unwrap();

        let second = Lease::take(&location).await.unwrap_err();

        assert!(matches!(second, LeaseError::Taken));
        assert!(
            second
                .to_string()
                .starts_with("another Heliograph server is using this database or data folder.")
        );
        first.release().await;
        let third = Lease::take(&location).await.unwrap();
        drop(third);
        // A server that disappeared without releasing it has lost it too.
        Lease::take(&location).await.unwrap();
    }
}

#[tokio::test]
async fn the_lock_of_a_folder_is_waited_for_while_a_process_has_it_that_is_only_being_started() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().to_owned());
    let first = Lease::take(&location).await.unwrap();
    let file = File::open(folder.path().join("heliograph.lock")).unwrap();
    first.release().await;
    file.lock().unwrap();

    let mut second = pin!(Lease::take(&location));
    assert!(second.as_mut().now_or_never().is_none(), "it is waited for");
    drop(file);

    second.await.unwrap();
}

/// What a database answers.
fn ask(url: &str, question: &str) -> String {
    let mut psql = Command::new("psql");
    psql.args([url, "--quiet", "--tuples-only", "--no-align", "--command", question]);
    let psql = psql.output().unwrap();
    assert!(psql.status.success(), "{psql:?}");
    String::from_utf8(psql.stdout).unwrap().trim().to_owned()
}

/// Ends every connection that holds the lease of a database, as a restart of Postgres would, and waits until its lock is gone.
fn cut_off(url: &str) {
    let cut = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity \
               WHERE application_name = 'heliograph lease' AND datname = current_database()";
    let _which_were_there = ask(url, cut);
}

/// Whether somebody holds the lease of a database.
fn is_held(url: &str) -> bool {
    let locks = "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database \
                 WHERE locktype = 'advisory' AND granted AND datname = current_database()";
    ask(url, locks) != "0"
}

/// Advances the lease's clock.
async fn time_passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_server_whose_connection_broke_takes_the_lease_again_or_hears_that_it_is_lost() {
    let url = fresh_database();
    let location = Location::Postgres(url.clone());
    let first = Lease::take(&location).await.unwrap();
    cut_off(&url);
    // The next heartbeat finds it.
    time_passes(Duration::from_secs(5)).await;
    let has_it_again = async {
        while !is_held(&url) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), has_it_again).await.expect("it takes it again");
    assert!(matches!(Lease::take(&location).await, Err(LeaseError::Taken)), "it has it again");

    let _second = takes_over(&url, &location).await;
    timeout(Duration::from_hours(1), async {
        tokio::select! {
            () = first.lost() => {}
            () = async { loop { half_a_minute_passes().await } } => {}
        }
    })
    .await
    .expect("the first server is told");
}

/// Lets more time pass than a server waits for its own old lock. Its connections take their real time: a jump over one in flight
/// makes it begin again.
async fn half_a_minute_passes() {
    sleep(Duration::from_secs(1)).await;
    time_passes(Duration::from_secs(31)).await;
}

/// Takes the lease from a server that is cut off.
async fn takes_over(url: &str, location: &Location) -> Lease {
    for _ in 0..10 {
        cut_off(url);
        match Lease::take(location).await {
            Ok(lease) => return lease,
            // Its heartbeat came in between. The next one is then elsewhere.
            Err(LeaseError::Taken) => sleep(Duration::from_secs(1)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it cannot be taken over");
}

#[tokio::test]
async fn a_database_that_accepts_and_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://postgres@{}/beams", silent.local_addr().unwrap());
    let location = Location::Postgres(url);
    let mut take = pin!(Lease::take(&location));
    let (_held, _) = tokio::select! {
        accepted = silent.accept() => accepted.unwrap(),
        taken = &mut take => panic!("{taken:?}"),
    };

    // The time passes by itself when nothing else happens.
    tokio::time::pause();
    let taken = timeout(Duration::from_mins(1), take).await;

    assert!(matches!(taken, Ok(Err(LeaseError::Database(_)))), "{taken:?}");
}
