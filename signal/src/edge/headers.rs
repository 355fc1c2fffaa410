//! The security headers of every response, and the check for requests from foreign pages.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::config::Origin;
use crate::error::Error;

/// The header in which a browser tells from what kind of page a request comes.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Longest `Host` that is repeated in the policy: a name of 253 characters, with room for a port.
const LONGEST_HOST: usize = 262;

/// Without `web-share`, which is allowed to our own pages anyway: browsers without it warn about the name.
const PERMISSIONS: &str = "camera=(self), clipboard-read=(self), clipboard-write=(self), \
     screen-wake-lock=(self), geolocation=(), microphone=(), payment=(), usb=()";

/// Sets the security headers: only our scripts, no foreign content, no frames, no referrer.
pub async fn secure(request: Request, next: Next) -> Response {
    let policy = policy(request.headers().get(header::HOST));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Responses are not cached unless they say so.
    let no_store = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(no_store);
    response
}

/// Sandboxes a response with untrusted bytes, so that opened as a page it can do nothing.
pub fn inert(headers: &mut HeaderMap) {
    let policy = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
}

/// The content security policy. Older browsers do not match websockets with `'self'`, so it names the host.
fn policy(host: Option<&HeaderValue>) -> HeaderValue {
    let host = host.and_then(|host| host.to_str().ok()).filter(|host| is_plain_host(host));
    let sockets = host.map(|host| format!(" ws://{host} wss://{host}")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; \
         connect-src 'self' blob:{sockets}; worker-src 'self' blob:; manifest-src 'self'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    // Cannot fail, because the host is plain ASCII. The fallback is the strictest policy.
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Whether the host is a name or address with an optional port, and cannot end or add a directive.
fn is_plain_host(host: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    !host.is_empty() && host.len() <= LONGEST_HOST && host.bytes().all(is_plain)
}

/// Refuses requests that change something and do not say clearly where they come from. The check after this one reads
/// the first header of each name, and takes an empty one for none.
pub async fn clear_origin(request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_unclear = |name| is_unclear(request.headers(), name);
    if changes && [&header::ORIGIN, &SEC_FETCH_SITE].into_iter().any(is_unclear) {
        return Error::ForeignOrigin.into_response();
    }
    next.run(request).await
}

/// Whether a header is empty or comes more than once. No browser sends such an origin.
fn is_unclear(headers: &HeaderMap, name: &HeaderName) -> bool {
    let mut values = headers.get_all(name).iter();
    values.next().is_some_and(HeaderValue::is_empty) || values.next().is_some()
}

/// Whether a browser sent the request from a page of another site. The same-origin policy does not cover websockets, so
/// their upgrade must check this (A3).
#[must_use]
pub fn is_foreign(headers: &HeaderMap, public_url: Option<&Origin>) -> bool {
    if is_unclear(headers, &header::ORIGIN) {
        return true;
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let Ok(origin) = origin.to_str() else { return true };
    let Some((_, authority)) = origin.split_once("://") else { return true };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_host = host.is_some_and(|host| host.eq_ignore_ascii_case(authority));
    !(is_host || public_url.is_some_and(|url| url.as_str().eq_ignore_ascii_case(origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(origin: Option<&str>, host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        is_foreign(&headers, Some(&"https://beam.example.org".parse().unwrap()))
    }

    #[test]
    fn a3_only_our_own_pages_and_programs_may_open_a_socket() {
        assert!(!foreign(None, "localhost:8080"));
        assert!(!foreign(Some("http://localhost:8080"), "localhost:8080"));
        assert!(!foreign(Some("https://beam.example.org"), "10.0.0.1:8080"));
        for other in [
            "http://beam.example.org",
            "http://localhost",
            "http://localhost:8081",
            "http://evil.example",
            "null",
            "",
            "://",
        ] {
            assert!(foreign(Some(other), "localhost:8080"), "{other:?}");
        }
    }

    #[test]
    fn the_host_is_named_in_the_policy_and_cannot_change_it() {
        let text = |host: &str| {
            let host = HeaderValue::from_str(host).unwrap();
            policy(Some(&host)).to_str().unwrap().to_owned()
        };
        assert!(text("[::1]:8080").contains("blob: ws://[::1]:8080 wss://[::1]:8080;"));
        for evil in ["a; script-src *", "a b", "*", "a,b", "'self'", &"a".repeat(300)] {
            assert!(text(evil).contains("connect-src 'self' blob:;"), "{evil}");
        }
        assert!(policy(None).to_str().unwrap().contains("connect-src 'self' blob:;"));
    }
}
