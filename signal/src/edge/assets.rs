//! The built client, embedded in the binary. It was compressed at build time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::config::Origin;
use crate::edge::answers::Waiting;
use crate::edge::language;
use crate::error::Error;
use crate::files::byte_range;

#[derive(RustEmbed)]
#[folder = "../client/dist/"]
struct Client;

/// The page. Its script and style, and through them all other files, are named after their contents.
pub const INDEX: &str = "index.html";
/// The picture in previews of links, as the index names it.
const PREVIEW: &str = "/preview.png";
/// Folder of files whose names contain a hash of their contents.
const HASHED: &str = "assets/";
/// The encodings of the compressed copies, the smallest first, and what stands behind the names of their files.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");
/// Said where a binary was built without the client.
pub const NOT_BUILT: &str = "The client is not built: run make build.\n";

/// The SHA-256 of files, by their paths.
pub type Hashes = BTreeMap<Cow<'static, str>, [u8; 32]>;

/// The files of the client in this binary, as browsers have them: the compressed copies are other forms of the same
/// bytes, and depend on the compressor.
#[must_use]
pub fn hashes() -> Hashes {
    hashes_of::<Client>()
}

fn hashes_of<Files: RustEmbed>() -> Hashes {
    let files = Files::iter().filter(|path| {
        let copied = ENCODINGS.iter().find_map(|(_, suffix)| path.strip_suffix(suffix));
        copied.is_none_or(|file| Files::get(file).is_none())
    });
    files
        .filter_map(|path| {
            let hash = Files::get(&path)?.metadata.sha256_hash();
            Some((path, hash))
        })
        .collect()
}

/// Serves every path outside the API: a file of the client, else its index (H4).
pub async fn serve(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    answer::<Client>(&method, &uri, &headers, app.public_url.as_ref())
}

fn answer<Files: RustEmbed>(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    public_url: Option<&Origin>,
) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = Error::MethodNotAllowed.into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    let path = uri.path().trim_start_matches('/');
    let response = if is_file::<Files>(path) {
        file::<Files>(path, headers)
    } else {
        index::<Files>(headers, public_url)
    };
    response.unwrap_or_else(|| NOT_BUILT.into_response())
}

fn index<Files: RustEmbed>(headers: &HeaderMap, public_url: Option<&Origin>) -> Option<Response> {
    let mut response = match public_url {
        Some(url) => index_at::<Files>(url, headers)?,
        None => file::<Files>(INDEX, headers)?,
    };
    if let Some(texts) = language::preload::<Files>(headers) {
        response.headers_mut().insert(header::LINK, texts);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-language"));
    }
    Some(response)
}

/// The index with the whole address of its preview picture, which the readers of previews want (ogp.me). It is not
/// compressed, because it depends on the configuration.
fn index_at<Files: RustEmbed>(url: &Origin, headers: &HeaderMap) -> Option<Response> {
    let file = Files::get(INDEX)?;
    let url = url.as_str();
    let text = str::from_utf8(&file.data).ok()?.replace(PREVIEW, &format!("{url}{PREVIEW}"));
    let tag = tag_of(&Sha256::digest(&text))?;
    respond(INDEX, text.into_bytes().into(), None, &tag, headers)
}

fn is_file<Files: RustEmbed>(path: &str) -> bool {
    !path.is_empty() && Files::get(path).is_some()
}

fn file<Files: RustEmbed>(name: &str, headers: &HeaderMap) -> Option<Response> {
    let (file, encoding) = best_variant::<Files>(name, headers)?;
    let tag = tag_of(&file.metadata.sha256_hash())?;
    respond(name, file.data, encoding, &tag, headers)
}

fn respond(
    name: &str,
    data: Cow<'static, [u8]>,
    encoding: Option<&'static str>,
    tag: &str,
    headers: &HeaderMap,
) -> Option<Response> {
    let is_known = byte_range::is_known(headers, tag);
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (bytes, waiting) = shared(data);
        (Extension(waiting), Body::from(bytes)).into_response()
    };
    let answer = response.headers_mut();
    if !is_known {
        answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
        if let Some(encoding) = encoding {
            answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
    }
    answer.insert(header::ETAG, tag.parse().ok()?);
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let caching = if name.starts_with(HASHED) { FOREVER } else { ASK_FIRST };
    answer.insert(header::CACHE_CONTROL, caching);
    Some(response)
}

/// The bytes of a file, and how many of them this response keeps in memory. Embedded bytes cost nothing; a debug build
/// reads the file for each response.
fn shared(data: Cow<'static, [u8]>) -> (Bytes, Waiting) {
    match data {
        Cow::Borrowed(bytes) => (Bytes::from_static(bytes), Waiting(0)),
        Cow::Owned(bytes) => {
            let waiting = Waiting(bytes.len());
            (bytes.into(), waiting)
        }
    }
}

/// The smallest variant of the file that the browser accepts.
fn best_variant<Files: RustEmbed>(
    name: &str,
    headers: &HeaderMap,
) -> Option<(EmbeddedFile, Option<&'static str>)> {
    for (encoding, suffix) in ENCODINGS {
        if accepts(headers, encoding)
            && let Some(file) = Files::get(&format!("{name}{suffix}"))
        {
            return Some((file, Some(encoding)));
        }
    }
    Files::get(name).map(|file| (file, None))
}

/// Whether `Accept-Encoding` names the encoding with a weight above zero (RFC 9110, section 12.5.3).
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(
        |choice| {
            let (name, parameters) = choice.split_once(';').unwrap_or((choice, ""));
            let weight = parameters.trim().strip_prefix("q=").map(str::parse::<f32>);
            name.trim().eq_ignore_ascii_case(encoding)
                && !matches!(weight, Some(Ok(weight)) if weight <= 0.0)
        },
    )
}

/// The entity tag for content with this hash.
fn tag_of(hash: &[u8]) -> Option<String> {
    let hash = hash.first_chunk::<16>().copied()?;
    Some(format!("\"{:032x}\"", u128::from_be_bytes(hash)))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    #[test]
    fn an_encoding_is_used_when_it_is_accepted() {
        let accepts = |value: &str, encoding: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
            super::accepts(&headers, encoding)
        };
        assert!(accepts("gzip, deflate, br, zstd", "br"));
        assert!(accepts("gzip;q=1.0, BR;q=0.1", "br"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("gzip", "br"));
        assert!(!accepts("identity", "gzip"));
    }

    /// A client as `client/scripts` builds it. Each compressed variant contains only the name of its encoding.
    #[derive(RustEmbed)]
    #[folder = "tests/client/"]
    struct Fixture;

    #[derive(RustEmbed)]
    #[folder = "tests/client/empty/"]
    #[allow_missing = true]
    struct NotBuilt;

    async fn get(path: &str, headers: &[(HeaderName, &str)]) -> (Response, String) {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let uri = path.parse().unwrap();
        let response = answer::<Fixture>(&Method::GET, &uri, &headers.collect(), None);
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        (Response::from_parts(head, Body::empty()), body)
    }

    fn header<'a>(response: &'a Response, name: &str) -> &'a str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn s27_the_files_in_the_binary_are_the_bytes_of_every_answer() {
        static FILE: [u8; 3] = *b"abc";
        let (bytes, Waiting(own)) = shared(Cow::Borrowed(&FILE));
        assert_eq!((bytes.as_ptr(), own), (FILE.as_ptr(), 0));
        let (read, Waiting(own)) = shared(Cow::Owned(vec![1; 9]));
        assert_eq!((read.len(), own), (9, 9));
    }

    #[tokio::test]
    async fn the_best_copy_is_served_under_the_type_of_the_file() {
        for (accepted, encoding, expected) in [
            ("gzip, deflate, br", "br", "brotli"),
            ("gzip", "gzip", "gzip"),
            ("br;q=0, gzip", "gzip", "gzip"),
            ("", "", "console.log(1)"),
        ] {
            let accepted = [(header::ACCEPT_ENCODING, accepted)];
            let (response, body) = get("/assets/index-abc123.js", &accepted).await;
            assert_eq!((header(&response, "content-encoding"), body.trim()), (encoding, expected));
            assert_eq!(header(&response, "content-type"), "text/javascript; charset=utf-8");
            assert_eq!(header(&response, "vary"), "accept-encoding");
            let forever = "public, max-age=31536000, immutable";
            assert_eq!(header(&response, "cache-control"), forever);
        }
    }

    #[test]
    fn the_files_of_the_client_are_listed_without_their_compressed_copies() {
        let hashes = hashes_of::<Fixture>();
        let paths: Vec<_> = hashes.keys().map(|path| &**path).collect();
        let expected = [
            "assets/index-abc123.js",
            "assets/texts-de-a1-b2_c3.js",
            "assets/texts-en-12345678.js",
            "assets/texts-zh-Hant-0a1b2c3d.js",
            "index.html",
        ];
        assert_eq!(paths, expected);
        let script = &Fixture::get("assets/index-abc123.js").unwrap().data;
        assert_eq!(hashes["assets/index-abc123.js"], *Sha256::digest(script));
    }

    #[tokio::test]
    async fn h4_the_index_is_asked_for_again_and_answered_briefly() {
        let (index, body) = get("/some/page?beam_id=1", &[]).await;
        assert!(body.contains("<title>"));
        assert_eq!(header(&index, "cache-control"), "no-cache");
        let tag = header(&index, "etag").to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let (again, body) = get("/", &[(header::IF_NONE_MATCH, &known)]).await;
            assert_eq!((again.status(), &body[..]), (StatusCode::NOT_MODIFIED, ""), "{known}");
            assert_eq!(header(&again, "etag"), tag);
        }
        let (changed, body) = get("/", &[(header::IF_NONE_MATCH, "\"x\"")]).await;
        assert!(changed.status() == StatusCode::OK && !body.is_empty());
    }

    #[tokio::test]
    async fn the_index_names_the_whole_address_of_its_preview_where_the_server_knows_its_own() {
        let url = "https://beam.example.org".parse().unwrap();
        let accepted = HeaderMap::from_iter([(header::ACCEPT_ENCODING, "br".parse().unwrap())]);
        let response =
            answer::<Fixture>(&Method::GET, &"/".parse().unwrap(), &accepted, Some(&url));

        let tag = header(&response, "etag").to_owned();
        assert_ne!(tag, header(&get("/", &[]).await.0, "etag"));
        assert_eq!(header(&response, "content-encoding"), "");
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = str::from_utf8(&body).unwrap();
        assert!(text.contains("content=\"https://beam.example.org/preview.png\""), "{text}");
    }

    #[tokio::test]
    async fn h35_the_index_names_the_texts_of_the_language_that_the_browser_wants() {
        for (wanted, catalogue) in [
            ("de-CH,de;q=0.9,en;q=0.8", "texts-de-a1-b2_c3.js"),
            ("zh-Hant-TW,zh-Hant", "texts-zh-Hant-0a1b2c3d.js"),
            ("tlh,en", "texts-en-12345678.js"),
            ("", "texts-en-12345678.js"),
        ] {
            let (index, _) = get("/space", &[(header::ACCEPT_LANGUAGE, wanted)]).await;
            let expected = format!("</assets/{catalogue}>; rel=modulepreload");
            assert_eq!(header(&index, "link"), expected, "{wanted}");
            let varies = index.headers().get_all("vary").iter().collect::<Vec<_>>();
            assert_eq!(varies, ["accept-encoding", "accept-language"]);
        }
        let wanted = [(header::ACCEPT_LANGUAGE, "de")];
        let (script, _) = get("/assets/index-abc123.js", &wanted).await;
        assert_eq!((header(&script, "link"), header(&script, "vary")), ("", "accept-encoding"));
    }

    #[tokio::test]
    async fn a_path_leads_nowhere_else() {
        let (_, index) = get("/", &[]).await;
        for path in ["/../Cargo.toml", "/assets/../../main.rs", "//etc/passwd", "/assets", "/%2e"] {
            assert_eq!(get(path, &[]).await.1, index, "{path}");
        }
    }

    #[tokio::test]
    async fn without_a_client_the_page_says_what_to_do() {
        let root = "/".parse().unwrap();
        let response = answer::<NotBuilt>(&Method::GET, &root, &HeaderMap::new(), None);
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(body, NOT_BUILT);
    }

    #[test]
    fn files_have_the_type_that_browsers_demand() {
        assert_eq!(content_type("assets/index-abc.js"), "text/javascript; charset=utf-8");
        assert_eq!(content_type("reader.wasm"), "application/wasm");
        assert_eq!(content_type("app.webmanifest"), "application/manifest+json");
        assert_eq!(content_type("inter.woff2"), "font/woff2");
        assert_eq!(content_type("mark.svg"), "image/svg+xml");
        assert_eq!(content_type("LICENSE"), "application/octet-stream");
    }
}
