//! H12, H14: profile pictures, from the form to their deletion.

use std::io::Cursor;
use std::time::Duration;

use heliograph_signal::budget::Kind;
use heliograph_signal::people::pictures::SentPicture;
use heliograph_signal::start::sweeper;
use image::{DynamicImage, ImageFormat};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bucket::Bucket;
use super::file::{HOUR, servers};
use super::person::Person;
use super::server::{Answer, TestServer};
use super::world::on_both;

/// A picture of this size and format.
pub fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

impl Person<'_> {
    async fn sends_picture(&mut self, path: &str, picture: &[u8]) -> Answer {
        let mut body = Vec::new();
        if path.contains("register") {
            for (name, value) in self.fields() {
                let part = format!(
                    "--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
                );
                body.extend(part.into_bytes());
            }
        }
        let start = "--x\r\ncontent-disposition: form-data; name=\"profile_picture\"; filename=\"me.png\"\r\n\
                     content-type: image/png\r\n\r\n";
        body.extend([start.as_bytes(), picture, b"\r\n--x--\r\n"].concat());
        let kind = ("content-type", "multipart/form-data; boundary=x");
        self.sends("POST", path, &[kind], &body).await
    }

    /// The address of the picture in the response of `me`.
    async fn picture(&mut self) -> Option<String> {
        let me = self.gets("/api/auth/me").await.json();
        me["user"]["profile_picture"].as_str().map(ToOwned::to_owned)
    }
}

#[tokio::test]
async fn h12_who_registers_with_a_picture_has_it() {
    on_both(async |world| {
        let mut ada = world.server.person("ada");
        let answer =
            ada.sends_picture("/api/auth/register/", &picture(800, 600, ImageFormat::Png)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let address = ada.picture().await.unwrap();
        assert_eq!(answer.json()["user"]["profile_picture"], json!(address));

        let seen = world.server.get(&address).await;

        assert_eq!((seen.status, seen.header("content-type")), (200, "image/jpeg"));
        let seen = image::load_from_memory_with_format(&seen.body, ImageFormat::Jpeg).unwrap();
        assert_eq!((seen.width(), seen.height()), (400, 300));
    })
    .await;
}

#[tokio::test]
async fn h14_another_picture_takes_the_place_of_the_first_everywhere_at_once() {
    on_both(async |world| {
        let mut ada = world.server.registered("ada").await;
        let mut phone = ada.clone();
        assert_eq!(phone.picture().await, None);
        let mut addresses = Vec::new();
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let answer =
                ada.sends_picture("/api/auth/profile-picture/", &picture(20, 10, format)).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let address = phone.picture().await.unwrap();
            assert_eq!(answer.json()["user"]["profile_picture"], json!(address));
            assert!(!addresses.contains(&address), "a new picture has a new address");
            addresses.push(address);
        }
    })
    .await;
}

#[tokio::test]
async fn h14_what_is_no_picture_is_refused_at_its_field_and_changes_nothing() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let wrong = "Please select a valid image file (JPEG, PNG, or WebP)";
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    let cases: [(&[u8], &str); 5] = [
        (b"", "Please select an image file"),
        (b"hello", wrong),
        (svg, wrong),
        (b"GIF89a\x01\0\x01\0\0\0\0;", wrong),
        (&vec![0; 5_242_881], "Image size must be less than 5MB"),
    ];
    for (bytes, sentence) in cases {
        let answer = ada.sends_picture("/api/auth/profile-picture/", bytes).await;
        let expected = json!({"profile_picture": [sentence]});
        assert_eq!((answer.status, answer.json()), (400, expected), "{} bytes", bytes.len());
    }
    assert_eq!(ada.picture().await, None);

    let mut bob = server.person("bob");
    assert_eq!(bob.sends_picture("/api/auth/register/", b"hello").await.status, 400);
    assert_eq!(bob.logs_in().await.status, 401, "there is no account without its picture");
    let mut nobody = server.person("nobody");
    let answer = nobody.sends_picture("/api/auth/profile-picture/", b"hello").await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn h19_a_picture_may_come_slowly_as_long_as_it_comes_steadily() {
    let server = TestServer::start().await;
    let mut ada = server.registered("ada").await;
    let cookies = ada.cookies_for("/api/auth/profile-picture/");
    let head =
        "--x\r\ncontent-disposition: form-data; name=\"profile_picture\"; filename=\"a\"\r\n\r\n";
    // What stands behind the picture is not looked at.
    let picture = [picture(2, 2, ImageFormat::Png), vec![0; 200_000]].concat();
    let body = [head.as_bytes(), &picture, b"\r\n--x--\r\n"].concat();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!(
        "POST /api/auth/profile-picture/ HTTP/1.1\r\nhost: {}\r\ncookie: {cookies}\r\nconnection: close\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();

    // Time passes only while the call waits for its body, and not while it works with the database.
    while server.app.budget.taken(Kind::Requests) == 0 {
        tokio::task::yield_now().await;
    }
    let (pieces, last) = body.split_at(160_000);
    for piece in pieces.chunks(40_000) {
        stream.write_all(piece).await.unwrap();
        // While this is answered, the piece is read.
        server.is_well().await;
        server.time_passes(Duration::from_secs(12)).await;
    }
    stream.write_all(last).await.unwrap();

    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(ada.picture().await.is_some());
}

#[tokio::test]
async fn h14_a_picture_is_served_as_a_jpeg_that_may_do_nothing() {
    let bucket = Bucket::start().await;
    for server in servers(&bucket).await {
        let (app, now) = (&server.app, server.app.clock.now());
        let held = app.budget.nothing(Kind::Requests);
        let sent = SentPicture { bytes: picture(9, 9, ImageFormat::Png), held };
        let kept = app.pictures.keep(sent, &app.blobs, &app.storage, now).await;
        let url = format!("/api/pictures/{}", kept.unwrap());

        let answer = server.get(&url).await;

        assert_eq!((answer.status, answer.header("content-type")), (200, "image/jpeg"));
        assert!(answer.body.starts_with(b"\xff\xd8\xff"));
        for (name, value) in [
            ("content-security-policy", "sandbox; default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, max-age=3600"),
        ] {
            assert_eq!(answer.header(name), value);
        }
        assert_eq!(server.get(&format!("/api/pictures/{}", "0".repeat(32))).await.status, 404);
        // No row refers to this picture.
        server.time_passes(HOUR).await;
        sweeper::sweep(app).await;
        assert_eq!(server.get(&url).await.status, 404);
    }
}
