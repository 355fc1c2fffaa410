//! The built client, inside the binary (in debug builds read from the folder). Compressed at build time, never here.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::error::Error;

#[derive(RustEmbed)]
#[folder = "../client/dist/"]
struct Client;

const INDEX: &str = "index.html";
/// Names under this folder carry a hash of what is in them.
const HASHED: &str = "assets/";
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");
const NOT_BUILT: &str = "The client is not built: run make build.\n";

/// Answers every path that is not the API's: a file of the client, else its index (H4).
pub async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let mut response = Error::MethodNotAllowed.into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    let path = uri.path().trim_start_matches('/');
    let name = if is_file(path) { path } else { INDEX };
    file(name, &headers).unwrap_or_else(|| NOT_BUILT.into_response())
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && Client::get(path).is_some()
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let (file, encoding) = best_variant(name, headers)?;
    let tag = entity_tag(&file)?;
    let is_known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim().trim_start_matches("W/") == tag || known.trim() == "*");
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(file.data.into_owned()))
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

/// The smallest copy that the browser can read.
fn best_variant(name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    for (encoding, suffix) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(file) = Client::get(&format!("{name}.{suffix}"))
        {
            return Some((file, Some(encoding)));
        }
    }
    Client::get(name).map(|file| (file, None))
}

/// Whether `Accept-Encoding` names the encoding, and not with a weight of zero (RFC 9110, section 12.5.3).
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

fn entity_tag(file: &EmbeddedFile) -> Option<String> {
    let hash = file.metadata.sha256_hash().first_chunk::<16>().copied()?;
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
