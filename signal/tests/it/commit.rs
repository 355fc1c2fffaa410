//! Commit and tell: a change of a saved beam takes effect even if its sender hangs up (H31), on both databases.

use std::time::Duration;

use futures_util::FutureExt as _;
use heliograph_shared::api::beams::{Level, LinkAccess};
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::ShareId;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::world::{Trip, Who, World, on_both};

const PATIENCE: Duration = Duration::from_secs(20);

impl World<'_> {
    /// Sends a request and hangs up without waiting for the response.
    async fn hangs_up(&self, who: Who, method: &str, path: &str, body: &Value) {
        let (cookies, body) = (self.person(who).cookies_for(path), body.to_string());
        let address = self.server.address;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookies}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
    }

    /// Repeats a request until its change is stored, because one whose sender hangs up too early may not begin.
    async fn insists(&self, who: Who, method: &str, path: &str, body: &Value, beam: &Trip) {
        let before = self.server.app.storage.access_to(beam.beam).await.unwrap();
        let insist = async {
            while self.server.app.storage.access_to(beam.beam).await.unwrap() == before {
                self.hangs_up(who, method, path, body).await;
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, insist).await.expect("the change is committed");
    }
}

fn share_path(share: &ShareId, call: &str) -> String {
    format!("/api/beams/{call}/{}/", json!(share).as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_a_share_that_was_lowered_is_lower_although_its_giver_hung_up() {
    on_both(async |world| {
        for _ in 0..5 {
            let trip = world.trip(LinkAccess::None).await;
            let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
            let path = share_path(&trip.writers, "update-share");
            world.insists(Who::Owner, "PUT", &path, &json!({"share_type": "read"}), &trip).await;
            let news = timeout(PATIENCE, writer.sees("access_changed")).await;
            assert_eq!(news.expect("the writer is told")["message"]["role"], "read");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_a_share_that_was_given_is_in_effect_although_its_giver_hung_up() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let (mut user, _) = world.enters(Who::User, trip.beam).await;
        let (app, owner) = (&world.server.app, world.account(Who::Owner).await);
        let (id, name) = (ShareId::from_random([9; 16]), world.person(Who::User).username);

        // Usernames are not to be tried again and again (H13), so the call is left where it waits.
        let share = app.beams.share(owner, id, trip.beam, name, Level::Write, app.clock.now());
        // On several threads it may even be through at once.
        let _ = share.now_or_never();

        let news = timeout(PATIENCE, user.sees("access_changed")).await;
        assert_eq!(news.expect("the user is told")["message"]["role"], "write");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_a_share_that_was_taken_away_closes_its_devices_although_its_giver_hung_up() {
    on_both(async |world| {
        for _ in 0..5 {
            let trip = world.trip(LinkAccess::None).await;
            let (mut writer, _) = world.enters(Who::Writer, trip.beam).await;
            let path = share_path(&trip.writers, "unshare");
            world.insists(Who::Owner, "DELETE", &path, &json!({}), &trip).await;
            assert_eq!(writer.is_closed().await, CloseCode::Forbidden.number());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_a_link_that_was_shut_is_shut_although_its_owner_hung_up() {
    on_both(async |world| {
        for _ in 0..5 {
            let trip = world.trip(LinkAccess::Write).await;
            let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
            let path = format!("/api/beams/{}/", trip.beam);
            let change = json!({"link_access": "none"});
            world.insists(Who::Owner, "PUT", &path, &change, &trip).await;
            assert_eq!(guest.is_closed().await, CloseCode::Forbidden.number());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h31_a_beam_that_was_renewed_or_deleted_closes_its_devices_although_its_owner_hung_up() {
    on_both(async |world| {
        for (method, call) in [("POST", "renew/"), ("DELETE", "")].repeat(3) {
            let trip = world.trip(LinkAccess::Write).await;
            let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
            let path = format!("/api/beams/{}/{call}", trip.beam);
            world.insists(Who::Owner, method, &path, &json!({}), &trip).await;
            assert_eq!(guest.is_closed().await, CloseCode::Ended.number());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s2_who_joins_a_beam_while_it_is_deleted_is_closed_with_4404() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let path = format!("/api/beams/{}/", trip.beam);
        let mut owner = world.person(Who::Owner);
        let delete = async { owner.sends("DELETE", &path, &[], b"").await.status };
        let join = async {
            let mut codes = Vec::new();
            for _ in 0..10 {
                let mut guest = world.knocks(Who::Guest, trip.beam).await;
                codes.push(timeout(PATIENCE, guest.is_closed()).await.expect("nobody waits"));
            }
            codes
        };
        let (status, codes) = tokio::join!(delete, join);
        assert_eq!(status, 200);
        assert_eq!(codes, [CloseCode::Ended.number()].repeat(10));
    })
    .await;
}

#[tokio::test]
async fn s6_a_person_who_is_renamed_is_renamed_for_the_others_in_the_beam() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Write).await;
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let (_writer, _) = world.enters(Who::Writer, trip.beam).await;
        guest.sees_devices(2).await;
        let change = json!({"first_name": "Grace", "username": "hopper"});
        let answer = world.person(Who::Writer).asks("PUT", "/api/auth/profile/", &change).await;
        assert_eq!(answer.status, 200);

        let devices = guest.sees("authed_users").await;

        let shown = &devices["message"][1];
        assert_eq!((&shown["first_name"], &shown["username"]), (&json!("Grace"), &json!("hopper")));
    })
    .await;
}

#[tokio::test]
async fn h22_a_share_says_who_its_recipient_is() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let user = json!({
            "username": "writer", "first_name": "Ada", "last_name": "Lovelace", "profile_picture": null,
        });
        let details = world.person(Who::Owner).gets(&format!("/api/beams/{}/", trip.beam)).await;
        assert_eq!(details.json()["shares"][1]["shared_with_user"], user);
        assert_eq!(details.json()["shares"][1]["shared_with"], "writer");
        let mine = world.person(Who::Owner).gets("/api/beams/my-shares/").await.json();
        let shares = mine["my_shared_beams"].as_array().unwrap();
        assert!(shares.iter().any(|share| share["shared_with_user"] == user));
    })
    .await;
}
