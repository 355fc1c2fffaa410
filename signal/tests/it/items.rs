//! S7 to S12: items, order, sync, signals.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::device::{TestDevice, unknown_beam};
use super::server::TestServer;

#[tokio::test]
async fn s7_an_item_comes_back_byte_for_byte() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    for content in
        ["null", r#"{ "b":1.50,"a" :[ ]}"#, r#""\u0041\/é""#, "-0", "1e999", "[[[[]]]]", "\"\""]
    {
        let text = format!(
            r#"{{"type":"share_clipboard","message":{content},"extra":"my kind \u00e9","new":1}}"#
        );
        ada.sends(Message::text(text)).await;
        for device in [&mut ada, &mut bob] {
            let text = loop {
                let Some(Message::Text(text)) = device.next().await else { panic!() };
                if text.contains("rec_clipboard") {
                    break text;
                }
            };
            let start = format!(
                r#"{{"type":"rec_clipboard","message":{content},"extra":"my kind é","id":""#
            );
            assert!(text.starts_with(&start), "{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s7_everybody_sees_one_order() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut devices = Vec::new();
    for _ in 0..4 {
        devices.push(server.join(beam).await);
    }
    let all = devices.into_iter().enumerate().map(|(number, mut device)| {
        tokio::spawn(async move {
            for n in 0..50 {
                device.shares(json!([number, n])).await;
            }
            let mut seen = Vec::new();
            while seen.len() < 200 {
                seen.push(device.sees_item().await);
            }
            (number, seen)
        })
    });
    let mut orders = Vec::new();
    for device in all.collect::<Vec<_>>() {
        let (number, seen) = device.await.unwrap();
        let own = seen.iter().filter(|item| item[0] == number).map(|item| &item[1]);
        assert!(own.eq((0..50).map(|n| json!(n)).collect::<Vec<_>>().iter()));
        orders.push(seen);
    }
    assert!(orders.windows(2).all(|pair| pair[0] == pair[1]));
}

async fn page(device: &mut TestDevice, after: &Value) -> Value {
    device.says(&json!({"type": "sync", "message": {"after": after}})).await;
    device.sees("sync").await["message"].take()
}

#[tokio::test]
async fn s11_a_late_joiner_pulls_everything_in_pages() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    for n in 0..250 {
        ada.shares(n).await;
    }
    while ada.sees_item().await != 249 {}

    let mut late = server.join(beam).await;
    let (mut after, mut seen, mut epochs) = (Value::Null, Vec::new(), Vec::new());
    loop {
        let page = page(&mut late, &after).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["message"].clone()));
        epochs.push(page["epoch"].clone());
        after = page["next"].clone();
        if after.is_null() {
            break;
        }
    }
    assert_eq!(seen, (0..250).map(|n| json!(n)).collect::<Vec<_>>());
    assert_eq!(epochs.len(), 3);
    assert!(epochs.iter().all(|epoch| *epoch == epochs[0]));
}

#[tokio::test]
async fn s11_everything_may_be_asked_for_right_behind_auth() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    ada.shares("here already").await;
    ada.sees_item().await;

    let mut hasty = server.connect(beam).await;
    hasty.says(&json!({"type": "auth", "message": null, "extra": {"v": 1}})).await;
    hasty.says(&json!({"type": "sync", "message": {"after": null}})).await;
    hasty.is_welcomed().await;
    assert_eq!(hasty.sees("sync").await["message"]["items"][0]["message"], "here already");
}

#[tokio::test]
async fn s11_the_epoch_stays_while_the_beam_is_live_and_names_one_memory() {
    let server = TestServer::start().await;
    let (beam, other) = (unknown_beam(), unknown_beam());
    let mut ada = server.join(beam).await;
    ada.shares("hi").await;
    let before = page(&mut ada, &Value::Null).await;
    ada.leaves().await;

    // Within the minute, a reload finds everything (S17).
    let mut again = server.join(beam).await;
    assert_eq!(page(&mut again, &Value::Null).await, before);
    let mut elsewhere = server.join(other).await;
    assert_ne!(page(&mut elsewhere, &Value::Null).await["epoch"], before["epoch"]);
}

#[tokio::test]
async fn s10_a_deletion_by_id_leaves_equal_items() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let mut ada = server.join(beam).await;
    ada.shares("same").await;
    let first = ada.sees("rec_clipboard").await["id"].clone();
    ada.shares("same").await;
    let second = ada.sees("rec_clipboard").await["id"].clone();
    assert_ne!(first, second);

    ada.says(&json!({"type": "delete_note", "message": "same", "id": first})).await;

    assert_eq!(ada.sees("delete_note").await["id"], first);
    assert_eq!(page(&mut ada, &Value::Null).await["items"][0]["id"], second);
}

#[tokio::test]
async fn s12_a_signal_goes_unread_to_one_device() {
    let server = TestServer::start().await;
    let beam = unknown_beam();
    let (mut ada, mut bob) = (server.join(beam).await, server.join(beam).await);
    let mut cat = server.join(beam).await;
    let signal = json!({"session": "s", "signal": {"sdp": "…", "deep": [[1]]}});

    ada.says(&json!({"type": "signal", "message": signal, "extra": {"to": bob.id}})).await;

    let seen = bob.sees("signal").await;
    assert_eq!((&seen["message"], &seen["extra"]), (&signal, &json!({"from": ada.id})));
    // Everything else for cat comes before this.
    ada.shares("end").await;
    loop {
        let Some(Message::Text(text)) = cat.next().await else { panic!() };
        assert!(!text.contains("\"signal\""));
        if text.contains("rec_clipboard") {
            break;
        }
    }
    let stranger = server.join(unknown_beam()).await;
    ada.says(&json!({"type": "signal", "message": 1, "extra": {"to": stranger.id}})).await;
    assert_eq!(ada.is_refused().await, "device_gone");
}
