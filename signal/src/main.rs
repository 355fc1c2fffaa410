//! `heliograph`: read the configuration, open everything, serve, end.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use heliograph_signal::clock::Clock;
use heliograph_signal::config::{Cli, Command, Config};
use heliograph_signal::start::{self, greeting, start};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

/// Time for the database to let go of its file, and for blocking work to end.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let Command::Serve(config) = Cli::parse().command;
    log();
    // Before anything can ask for TLS: with two providers in a build rustls would not know which to take.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let outcome = runtime.block_on(run(&config));
    runtime.shutdown_timeout(CLOSE_TIMEOUT);
    outcome.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
}

async fn run(config: &Config) -> Result<(), start::Error> {
    let (listeners, app) = start(config, Clock::System).await?;
    tracing::info!(listening = ?app.listening, data = %config.data.display(), "started");
    // Whoever started us without a screen does not want to be told.
    let _ = write!(io::stdout(), "{}", greeting(app.listening));
    let shutdown = CancellationToken::new();
    tokio::spawn(end_on_signal(shutdown.clone()));
    heliograph_signal::serve(listeners, app.clone(), shutdown).await;
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, app.storage.close()).await;
    tracing::info!("ended");
    Ok(())
}

/// The first signal ends the server in good order; a second one is the system's business.
async fn end_on_signal(shutdown: CancellationToken) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
    tracing::info!("ending");
    shutdown.cancel();
}

/// To stderr, so that stdout has the addresses for people alone. `RUST_LOG` says how much.
fn log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_writer(io::stderr)
        .init();
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "heliograph: {error}");
    ExitCode::FAILURE
}
