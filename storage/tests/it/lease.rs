//! The lease: one server per database.

use std::fs::File;
use std::process::Command;
use std::time::Duration;

use heliograph_storage::{Lease, LeaseError, Location};
use tokio::net::TcpListener;
use tokio::time::sleep;

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

    let (second, ()) = tokio::join!(Lease::take(&location), async {
        sleep(Duration::from_millis(50)).await;
        drop(file);
    });

    second.unwrap();
}

/// Ends every connection that holds the lease of a database, as a restart of Postgres would.
fn cut_off(url: &str) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE application_name = 'heliograph lease' AND datname = current_database()";
    let psql = Command::new("psql").args([url, "--quiet", "--command", cut]).output().unwrap();
    assert!(psql.status.success(), "{psql:?}");
}

/// Advances the lease's clock by a second, and leaves its connection some real time.
async fn a_second_passes() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(1)).await;
    tokio::time::resume();
    sleep(Duration::from_millis(20)).await;
}

#[tokio::test]
async fn a_server_whose_connection_broke_takes_the_lease_again_or_hears_that_it_is_lost() {
    let url = fresh_database();
    let location = Location::Postgres(url.clone());
    let first = Lease::take(&location).await.unwrap();
    cut_off(&url);
    for _ in 0..10 {
        a_second_passes().await;
    }
    assert!(matches!(Lease::take(&location).await, Err(LeaseError::Taken)), "it has it again");

    cut_off(&url);
    let _second = Lease::take(&location).await.unwrap();
    tokio::time::timeout(Duration::from_mins(5), async {
        tokio::select! {
            () = first.lost() => {}
            () = async { loop { a_second_passes().await } } => {}
        }
    })
    .await
    .expect("the first server is told");
}

#[tokio::test]
async fn a_database_that_accepts_and_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://postgres@{}/beams", silent.local_addr().unwrap());
    let location = Location::Postgres(url);
    let mut take = std::pin::pin!(Lease::take(&location));
    let (_held, _) = tokio::select! {
        accepted = silent.accept() => accepted.unwrap(),
        taken = &mut take => panic!("{taken:?}"),
    };

    // The time passes by itself when nothing else happens.
    tokio::time::pause();
    let taken = tokio::time::timeout(Duration::from_mins(1), take).await;

    assert!(matches!(taken, Ok(Err(LeaseError::Database(_)))), "{taken:?}");
}
