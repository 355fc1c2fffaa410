//! What the server counts, for Prometheus. Every metric is defined here, and nothing else of the server knows of it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use heliograph_shared::time::Millis;
use heliograph_storage::Error;
use heliograph_storage::totals::{Connections, Totals};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::exemplar::Exemplar;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::http::{self, ACCEPT_PAUSE};
use super::process::Process;
use crate::address::Peer;
use crate::app::App;
use crate::budget::Kind;
use crate::bus::Bus;

/// Media type of the answer.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Connections at a time. Prometheus needs one.
const CONNECTIONS: usize = 16;
/// The longest time that a connection is kept, so that nobody who reads slowly keeps a place.
const CONNECTION_TIME: Duration = Duration::from_mins(10);
/// Time for the database to answer; Prometheus itself gives up after ten seconds.
const TOTALS_TIMEOUT: Duration = Duration::from_secs(5);

/// What the metrics are read from.
#[derive(Clone, Debug)]
struct Sources {
    app: Arc<App>,
    turn: Option<Arc<heliograph_turn::Handle>>,
    started: Millis,
}

/// Answers `/metrics` until the shutdown.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    turn: Option<Arc<heliograph_turn::Handle>>,
    shutdown: CancellationToken,
) {
    let sources = Sources { started: app.clock.now(), app: app.clone(), turn };
    let router = Router::new().route("/metrics", get(answer)).with_state(sources);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while let Some(accepted) = shutdown.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::debug!(%error, "a connection for the metrics could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let (router, shutdown) = (router.clone(), shutdown.clone());
        app.tasks.spawn(async move {
            let peer = Peer { ip: peer.ip(), tls: false };
            let served = http::serve(stream, router, peer, &shutdown);
            // A scrape is short. Prometheus opens another connection when one is closed.
            let _ = timeout(CONNECTION_TIME, served).await;
            drop(place);
        });
    }
}

async fn answer(State(sources): State<Sources>) -> Response {
    let app = &sources.app;
    // Without the database the rest is the more interesting.
    let totals = in_time(app.storage.totals(app.clock.now())).await;
    let (connections, process) = (app.storage.connections(), Process::read());
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Moment { sources, totals, connections, process }));
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// What the database says; `None` when it fails, or hangs.
async fn in_time(totals: impl Future<Output = Result<Totals, Error>>) -> Option<Totals> {
    timeout(TOTALS_TIMEOUT, totals).await.ok()?.ok()
}

/// Everything at one moment.
#[derive(Debug)]
struct Moment {
    sources: Sources,
    totals: Option<Totals>,
    connections: Vec<Connections>,
    process: Process,
}

impl Collector for Moment {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut page = Page(encoder);
        self.devices(&mut page)?;
        self.nodes(&mut page)?;
        self.refusals(&mut page)?;
        self.stored(&mut page)?;
        self.memory(&mut page)?;
        self.turn(&mut page)?;
        self.process(&mut page)
    }
}

impl Moment {
    fn devices(&self, page: &mut Page<'_>) -> fmt::Result {
        let (live, counts) = (&self.sources.app.live, &self.sources.app.counts);
        let (beams, devices) = live.hub.count();
        page.gauge("heliograph_sockets", "Open websockets", live.sockets.count())?;
        page.gauge("heliograph_live_beams", "Beams in memory", beams)?;
        page.gauge("heliograph_devices", "Devices that have joined a beam", devices)?;
        let opened = counts.sockets_opened.get();
        page.counter("heliograph_sockets_opened", "Websockets that were opened", opened)?;
        let (frames, bytes) = (counts.relayed_frames.get(), counts.relayed_bytes.get());
        page.counter("heliograph_relay_frames", "Frames that the relay took", frames)?;
        page.counter("heliograph_relay_bytes", "Bytes that the relay took", bytes)?;
        let (files, bytes) = (counts.uploads.get(), counts.uploaded_bytes.get());
        page.counter("heliograph_uploads", "Files that were stored", files)?;
        page.counter("heliograph_upload_bytes", "Bytes of files that were stored", bytes)
    }

    /// Nothing on a server that is alone.
    fn nodes(&self, page: &mut Page<'_>) -> fmt::Result {
        let Bus::Shared(member) = &self.sources.app.bus else { return Ok(()) };
        let help = "Nodes of the server, as this one hears them";
        page.gauge("heliograph_nodes", help, member.nodes())?;
        let answers = u64::from(!member.is_bus_gone());
        page.gauge("heliograph_bus_answers", "Whether the bus answered at the last beat", answers)?;
        let name = "heliograph_beams_driven";
        page.gauge(name, "Beams that this node drives", member.driven())?;
        let counts = &self.sources.app.counts;
        let (ever, ended) = (counts.passed_on.get(), counts.passed_on_ended.get());
        let name = "heliograph_sockets_passed_on";
        page.gauge(
            name,
            "Websockets that another node has and this one passes on",
            ever.saturating_sub(ended),
        )?;
        let help = "Websockets that were ever passed on to another node";
        page.counter("heliograph_sockets_passed_on_ever", help, ever)
    }

    fn refusals(&self, page: &mut Page<'_>) -> fmt::Result {
        let counts = &self.sources.app.counts;
        let answers = counts.answers().map(|(status, count)| (status.to_string(), count));
        page.counters("heliograph_http_answers", "Answers over HTTP", "status", answers)?;
        let refused = counts.refused_connections.get();
        let help = "Connections that found no place and were answered 503";
        page.counter("heliograph_connections_refused", help, refused)?;
        let codes = counts.refusals().map(|(code, count)| {
            let name = serde_json::to_value(code).ok();
            (name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default(), count)
        });
        let help = "Messages and frames that were refused on a websocket which stayed open";
        page.counters("heliograph_socket_refusals", help, "code", codes)?;
        let by_us = counts.closes().map(|(code, count)| (code.number().to_string(), count));
        let closes = by_us.chain([("left".to_owned(), counts.sockets_left.get())]);
        let help = "Websockets that ended, by the close code of the server; left: the device went";
        page.counters("heliograph_socket_closes", help, "code", closes)
    }

    fn stored(&self, page: &mut Page<'_>) -> fmt::Result {
        if let Some(Totals { accounts, saved_beams, files, file_bytes }) = self.totals {
            page.gauge("heliograph_accounts", "Accounts", accounts)?;
            page.gauge("heliograph_saved_beams", "Saved beams", saved_beams)?;
            page.gauge("heliograph_stored_files", "Files that are stored now", files)?;
            let help = "Bytes of files that are stored now";
            page.gauge("heliograph_stored_file_bytes", help, file_bytes)?;
        }
        let is_readable = u64::from(self.totals.is_some());
        let help = "Whether the database could be read for this page";
        page.gauge("heliograph_database_readable", help, is_readable)?;
        let of = |count: fn(&Connections) -> u64| {
            self.connections.iter().map(move |pool| (pool.of.to_owned(), count(pool)))
        };
        let name = "heliograph_database_connections";
        page.gauges(name, "Open connections to the database", "of", of(|pool| pool.open))?;
        let name = "heliograph_database_connections_idle";
        page.gauges(name, "Of these, those without work", "of", of(|pool| pool.idle))
    }

    fn memory(&self, page: &mut Page<'_>) -> fmt::Result {
        let budget = &self.sources.app.budget;
        let kinds = Kind::ALL;
        let taken = kinds.map(|kind| (kind.name().to_owned(), budget.taken(kind)));
        let name = "heliograph_waiting_bytes";
        page.gauges(name, "Memory of waiting data, by kind", "kind", taken)?;
        let most = kinds.map(|kind| (kind.name().to_owned(), budget.most(kind)));
        let name = "heliograph_waiting_bytes_most";
        page.gauges(name, "Bounds on the memory of waiting data", "kind", most)
    }

    fn turn(&self, page: &mut Page<'_>) -> fmt::Result {
        let Some(turn) = &self.sources.turn else { return Ok(()) };
        let counts = turn.counts();
        let now = counts.allocations;
        page.gauge("heliograph_turn_allocations", "Allocations of the TURN server", now)?;
        let made = counts.allocations_made;
        page.counter("heliograph_turn_allocations_made", "Allocations ever made", made)?;
        let ways = |of: [u64; 2]| ["to_peers", "to_clients"].map(str::to_owned).into_iter().zip(of);
        let bytes = ways([counts.bytes_to_peers, counts.bytes_to_clients]);
        page.counters("heliograph_turn_bytes", "Bytes of relayed data", "way", bytes)?;
        let datagrams = ways([counts.datagrams_to_peers, counts.datagrams_to_clients]);
        page.counters("heliograph_turn_datagrams", "Relayed datagrams", "way", datagrams)?;
        let others = counts.refused.saturating_sub(counts.unauthorized + counts.over_quota);
        let refused = [
            ("unauthorized", counts.unauthorized),
            ("over_quota", counts.over_quota),
            ("other", others),
            ("connection", counts.connections_refused),
        ];
        let help = "Refused requests and connections; every honest client begins unauthorized";
        page.counters("heliograph_turn_refusals", help, "cause", named(refused))?;
        let dropped = [
            ("bandwidth", counts.dropped_by_bandwidth),
            ("permission", counts.dropped_by_permission),
            ("slow_client", counts.dropped_by_slow_client),
            ("system", counts.dropped_by_system),
        ];
        let help = "Datagrams that were dropped";
        page.counters("heliograph_turn_dropped_datagrams", help, "cause", named(dropped))
    }

    /// Under the names that Prometheus gives these of every process.
    fn process(&self, page: &mut Page<'_>) -> fmt::Result {
        let Process { resident_bytes, open_files, most_files } = self.process;
        let started = u64::try_from(self.sources.started.get() / 1_000).ok();
        let known = [
            ("process_resident_memory_bytes", "Memory in use", resident_bytes),
            ("process_open_fds", "Open files and connections", open_files),
            ("process_max_fds", "Open files and connections that the system allows", most_files),
            ("process_start_time_seconds", "When it was started, since 1970", started),
        ];
        for (name, help, value) in known {
            if let Some(value) = value {
                page.gauge(name, help, value)?;
            }
        }
        let version = [(env!("CARGO_PKG_VERSION").to_owned(), 1_u64)];
        page.gauges("heliograph_build_info", "The version that runs", "version", version)
    }
}

fn named<const N: usize>(values: [(&str, u64); N]) -> [(String, u64); N] {
    values.map(|(name, value)| (name.to_owned(), value))
}

/// The page that is being written.
struct Page<'a>(DescriptorEncoder<'a>);

impl Page<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: impl Number) -> fmt::Result {
        self.0.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value.wide())
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        metric.encode_counter(&value, None::<&Exemplar<NoLabelSet, u64>>)
    }

    fn gauges<N: Number>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (String, N)>,
    ) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (value_of_label, value) in values {
            let labels = [(label, value_of_label)];
            metric.encode_family(&labels)?.encode_gauge(&value.wide())?;
        }
        Ok(())
    }

    fn counters(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (String, u64)>,
    ) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (value_of_label, value) in values {
            let labels = [(label, value_of_label)];
            let mut one = metric.encode_family(&labels)?;
            one.encode_counter(&value, None::<&Exemplar<NoLabelSet, u64>>)?;
        }
        Ok(())
    }
}

/// A count of any width.
trait Number {
    fn wide(self) -> u64;
}

impl Number for u64 {
    fn wide(self) -> u64 {
        self
    }
}

impl Number for usize {
    fn wide(self) -> u64 {
        u64::try_from(self).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_database_that_hangs_does_not_hold_up_the_rest() {
        assert!(in_time(std::future::pending()).await.is_none());
    }
}
