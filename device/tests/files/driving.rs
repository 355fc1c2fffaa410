//! The requests of the engine.

use std::sync::Arc;

use heliograph_device::engine::contract::{FileFailure, Input, Output, Place, ReadId, ReadOf};
use heliograph_device::io::file_driver::{FileDriver, FileEvent};
use heliograph_device::io::files::received::Incoming;
use heliograph_device::io::files::source::Source;
use heliograph_device::io::files::store::{Found, Store};
use heliograph_device::io::files::target::Target;
use tempfile::{TempDir, tempdir};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::stage::{NOW, chunks, incoming, item, named, sample};

struct Stage {
    folder: TempDir,
    driver: FileDriver,
    events: UnboundedReceiver<FileEvent>,
    target: Arc<Target>,
}

impl Stage {
    fn new() -> Self {
        Self::at(tempdir().unwrap())
    }

    fn at(folder: TempDir) -> Self {
        let _ = std::fs::create_dir(folder.path().join("received"));
        let target = Arc::new(Target::open(&folder.path().join("received")).unwrap());
        let store = Store::open(&folder.path().join("state")).unwrap();
        let (driver, events) = FileDriver::new(Handle::current(), store, || NOW);
        Self { folder, driver, events, target }
    }

    fn asks(&mut self, request: Output) {
        assert_eq!(self.driver.carry_out(request), None);
    }

    async fn hears(&mut self) -> Input {
        loop {
            if let FileEvent::Input(input) = self.events.recv().await.unwrap() {
                return input;
            }
        }
    }

    async fn opens(&mut self, file: &Incoming) -> Result<(), FileFailure> {
        self.driver.expect(file.clone(), self.target.clone());
        self.asks(Output::Open { id: file.item, place: Place(1) });
        match self.hears().await {
            Input::Opened { place: Place(1), result, .. } => result,
            other => panic!("{other:?}"),
        }
    }

    fn writes(&mut self, first: u32, count: u32, bytes: &[u8]) {
        let (place, id) = (Place(1), item(1));
        self.asks(Output::Write { id, place, chunks: chunks(first, count), bytes: bytes.to_vec() });
    }

    async fn reads(&mut self, of: ReadOf, start: u64, bytes: usize) -> Option<Vec<u8>> {
        self.asks(Output::Read { read: ReadId(7), of, start, bytes });
        match self.hears().await {
            Input::Read { read: ReadId(7), bytes } => bytes,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_file_comes_from_the_first_request_to_the_last() {
    let (mut stage, bytes, file) = (Stage::new(), sample(40_000), incoming("a", 40_000));
    let (id, place) = (item(1), Place(1));
    stage.opens(&file).await.unwrap();
    stage.writes(1, 2, &bytes[16_384..]);
    stage.writes(0, 1, &bytes[..16_384]);
    for expected in [chunks(1, 2), chunks(0, 1)] {
        let Input::Wrote { chunks, result: Ok(()), .. } = stage.hears().await else { panic!() };
        assert_eq!(chunks, expected);
    }
    stage.asks(Output::Keep { id, place, chunks: vec![chunks(0, 3)], is_paused: false });
    let read = stage.reads(ReadOf::Received(id), 0, 40_000).await;
    assert_eq!(read, Some(bytes.clone()));
    stage.asks(Output::Finish { id, place });
    let Some(FileEvent::Placed { paths, .. }) = stage.events.recv().await else { panic!() };
    assert_eq!(std::fs::read(&paths[0]).unwrap(), bytes);
    let Input::Finished { result: Ok(()), .. } = stage.hears().await else { panic!() };
    // F20: until the item is gone.
    assert_eq!(stage.reads(ReadOf::Received(id), 5, 10).await, Some(bytes[5..15].to_vec()));
    stage.asks(Output::Discard(id));
    assert_eq!(stage.reads(ReadOf::Received(id), 5, 10).await, None);
    assert!(paths[0].exists());
}

#[tokio::test]
async fn a_later_run_finds_the_part_and_then_the_whole() {
    let (mut stage, bytes, file) = (Stage::new(), sample(40_000), incoming("a", 40_000));
    let (id, place) = (item(1), Place(1));
    stage.opens(&file).await.unwrap();
    stage.writes(0, 1, &bytes[..16_384]);
    assert!(matches!(stage.hears().await, Input::Wrote { result: Ok(()), .. }));
    stage.asks(Output::Keep { id, place, chunks: vec![chunks(0, 1)], is_paused: true });
    stage.asks(Output::Release(id));
    stage.reads(ReadOf::Received(id), 0, 1).await;

    let mut stage = Stage::at(stage.folder);
    let Found::Part(entry) = stage.driver.find(file.clone()).await.unwrap() else { panic!() };
    assert_eq!((entry.durable(), entry.is_paused), (vec![chunks(0, 1)], true));
    stage.opens(&file).await.unwrap();
    stage.writes(1, 2, &bytes[16_384..]);
    stage.asks(Output::Finish { id, place });
    while !matches!(stage.hears().await, Input::Finished { result: Ok(()), .. }) {}

    let mut stage = Stage::at(stage.folder);
    assert!(matches!(stage.driver.find(file).await.unwrap(), Found::Whole { .. }));
    assert_eq!(stage.reads(ReadOf::Received(id), 0, 40_000).await, Some(bytes));
}

#[tokio::test]
async fn an_offered_file_is_read_until_it_changes() {
    let mut stage = Stage::new();
    let path = stage.folder.path().join("offered");
    std::fs::write(&path, sample(100)).unwrap();
    stage.driver.offer(item(2), Source::File(named(&path).unwrap()));
    let read = stage.reads(ReadOf::Offered(item(2)), 10, 20).await;
    assert_eq!(read, Some(sample(100)[10..30].to_vec()));
    std::fs::write(&path, sample(101)).unwrap();
    assert_eq!(stage.reads(ReadOf::Offered(item(2)), 10, 20).await, None);
    assert_eq!(stage.reads(ReadOf::Offered(item(3)), 10, 20).await, None);
}

#[tokio::test]
async fn requests_for_a_place_that_is_closed_are_refused() {
    let mut stage = Stage::new();
    stage.writes(0, 1, &[0; 10]);
    assert!(matches!(stage.hears().await, Input::Wrote { result: Err(_), .. }));
    stage.asks(Output::Finish { id: item(1), place: Place(1) });
    assert!(matches!(stage.hears().await, Input::Finished { result: Err(_), .. }));
    stage.asks(Output::Open { id: item(1), place: Place(1) });
    assert!(matches!(stage.hears().await, Input::Opened { result: Err(_), .. }));
    assert!(matches!(
        stage.driver.carry_out(Output::CopyRoom(heliograph_device::engine::contract::CopyId(1))),
        Some(Output::CopyRoom(_))
    ));
}

#[tokio::test]
async fn a_file_that_is_too_large_has_no_room() {
    let mut stage = Stage::new();
    let file = incoming("a", 1 << 45);
    assert_eq!(stage.opens(&file).await, Err(FileFailure::NoRoom));
}

#[tokio::test]
async fn a_file_that_was_given_up_can_be_asked_for_again_before_the_disk_is_done_with_it() {
    let bytes = sample(16 * 1024 * 1024);
    let (mut stage, file) = (Stage::new(), incoming("a", bytes.len() as u64));
    stage.opens(&file).await.unwrap();
    stage.writes(0, 1024, &bytes);
    let (id, place, all) = (file.item, Place(1), vec![chunks(0, 1024)]);
    stage.asks(Output::Keep { id, place, chunks: all, is_paused: false });
    stage.asks(Output::Discard(id));
    assert!(matches!(stage.driver.find(file).await, Ok(Found::Nothing)));
}
