//! S35: places of a saved beam's notes are told at once and stored soon, and nothing that ends the beam loses them.

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::ids::BeamId;
use serde_json::{Value, json};

use super::device::TestDevice;
use super::server::TestServer;
use super::world::{Who, on_both};

/// Turns the shared arrangement on, and moves a note there in two steps.
async fn drags(device: &mut TestDevice, id: &Value) {
    device.says(&json!({"type": "arrange", "message": {"shared": true, "places": []}})).await;
    for x in [1, 2] {
        let places = json!([{"id": id, "x": x, "y": 0}]);
        device.says(&json!({"type": "arrange", "message": {"places": places}})).await;
    }
    device.sees_until("arranged", |news| news["message"]["places"][0]["x"] == 2).await;
}

/// Where the note lies for a device that joins.
async fn place(device: &mut TestDevice) -> Value {
    device.sees("arranged").await["message"]["places"][0]["x"].take()
}

#[tokio::test]
async fn s35_the_last_place_outlives_the_end_of_the_server() {
    let server = TestServer::start().await;
    let ada = server.registered("ada").await;
    let beam = server.create_beam().await;
    let cookies = ada.cookies_for("/ws");
    let headers = [("cookie", &*cookies)];
    let mut device = server.connect_as(beam.beam_id, &headers).await.unwrap();
    let auth = json!({"type": "auth", "message": beam.beam_key, "extra": {"v": 1}});
    device.says(&auth).await;
    device.shares("a note").await;
    let id = device.sees("rec_clipboard").await["id"].take();
    device.says(&json!({"type": "save_beam", "message": "Trip"})).await;
    drags(&mut device, &id).await;
    // The server does not wait for it, so it ends before the place would be stored by itself.
    device.leaves().await;

    let folder = server.ends().await;

    let server = TestServer::on(folder, &[]).await;
    assert_eq!(place(&mut server.join(beam.beam_id).await).await, 2);
}

#[tokio::test]
async fn s35_h28_the_last_place_outlives_a_renewed_link() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut device, _) = world.enters(Who::Writer, trip.beam).await;
        device.says(&json!({"type": "sync", "message": {"after": null}})).await;
        let id = device.sees("sync").await["message"]["items"][0]["id"].take();
        drags(&mut device, &id).await;

        let mut admin = world.person(Who::Admin);
        let renewed = admin.posts(&format!("/api/beams/{}/renew/", trip.beam)).await.json();

        let new: BeamId = serde_json::from_value(renewed["beam_id"].clone()).unwrap();
        let (mut device, _) = world.enters(Who::Writer, new).await;
        assert_eq!(place(&mut device).await, 2);
    })
    .await;
}
