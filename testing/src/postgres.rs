//! A fresh database on the Postgres server of `scripts/with-postgres`.

use std::env;
use std::process::Command;

use uuid::Uuid;

/// Creates an empty database and returns its address.
#[must_use]
pub fn fresh_database() -> String {
    let server = env::var("HELIOGRAPH_TEST_POSTGRES")
        .expect("run this as `scripts/with-postgres cargo test`, or `make test`");
    let name = format!("test_{}", Uuid::now_v7().simple());
    let create = format!("CREATE DATABASE {name}");
    let psql = Command::new("psql").args([&server, "--quiet", "--command", &create]).status();
    assert!(psql.unwrap().success());
    server.replace("/postgres?", &format!("/{name}?"))
}
