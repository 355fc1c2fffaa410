//! The texts of the page that a browser will ask for, so that it loads them beside the page's script, not after it.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue, header};
use rust_embed::RustEmbed;

/// Beginning of the names of the catalogues, which `client/vite.config.ts` gives: `language-de-1a2b3c4d.js`.
const CATALOGUE: &str = "assets/language-";
/// Without a wish the page is in English.
const SOURCE: &str = "en";

/// The `Link` header by which the index names the catalogue of the browser's language (RFC 8288). The page chooses by
/// more, for example by what the person chose earlier: then this one is loaded in vain.
pub(super) fn preload<Files: RustEmbed>(headers: &HeaderMap) -> Option<HeaderValue> {
    let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let path =
        wanted_tags(wanted.unwrap_or_default()).chain([SOURCE]).find_map(catalogue_of::<Files>)?;
    format!("</{path}>; rel=modulepreload").parse().ok()
}

/// The tags in the order in which browsers send them, the most wanted one first, each followed by its primary subtag.
fn wanted_tags(accepted: &str) -> impl Iterator<Item = &str> {
    accepted.split(',').flat_map(|choice| {
        let tag = choice.split(';').next().unwrap_or_default().trim();
        [tag, tag.split('-').next().unwrap_or_default()]
    })
}

fn catalogue_of<Files: RustEmbed>(tag: &str) -> Option<String> {
    let is_of = |path: &str| {
        let code = path.strip_prefix(CATALOGUE).and_then(|rest| rest.strip_suffix(".js"));
        // The hash has eight characters, which may be hyphens.
        let code = code.and_then(|code| code.get(..code.len().checked_sub(9)?));
        code.is_some_and(|code| code.eq_ignore_ascii_case(tag))
    };
    Files::iter().find(|path| is_of(path)).map(Cow::into_owned)
}
