//! The texts of the page that a browser will ask for, so that it loads them beside the page's script, not after it.

use axum::http::{HeaderMap, HeaderValue, header};
use rust_embed::RustEmbed;

/// Beginning of the names of the catalogues, which `client/vite.config.ts` gives: `language-de-1a2b3c4d.js`.
const CATALOGUE: &str = "assets/language-";
/// Without a wish the page is in English.
const SOURCE: &str = "en";
/// Most choices of a browser that are looked at. A browser sends about four.
const MOST_CHOICES: usize = 16;

/// The `Link` header by which the index names the catalogue of the browser's language (RFC 8288). The page chooses by
/// more, for example by what the person chose earlier: then this one is loaded in vain.
pub(super) fn preload<Files: RustEmbed>(headers: &HeaderMap) -> Option<HeaderValue> {
    let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let tags: Vec<_> = wanted_tags(wanted.unwrap_or_default()).chain([SOURCE]).collect();
    // One walk over the files, however many languages are wanted.
    let ranked = Files::iter().filter_map(|path| {
        let code = code_of(&path)?;
        let rank = tags.iter().position(|tag| tag.eq_ignore_ascii_case(code))?;
        Some((rank, path))
    });
    let (_, path) = ranked.min()?;
    format!("</{path}>; rel=modulepreload").parse().ok()
}

/// The tags in the order in which browsers send them, the most wanted one first, each followed by its primary subtag.
fn wanted_tags(accepted: &str) -> impl Iterator<Item = &str> {
    accepted.split(',').take(MOST_CHOICES).flat_map(|choice| {
        let tag = choice.split(';').next().unwrap_or_default().trim();
        [tag, tag.split('-').next().unwrap_or_default()]
    })
}

/// The language of a catalogue; `None` for another file.
fn code_of(path: &str) -> Option<&str> {
    let code = path.strip_prefix(CATALOGUE)?.strip_suffix(".js")?;
    // The hash has eight characters, which may be hyphens.
    code.get(..code.len().checked_sub(9)?)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::cell::Cell;

    use rust_embed::EmbeddedFile;

    use super::*;

    thread_local! {
        static WALKS: Cell<usize> = const { Cell::new(0) };
    }

    /// Names of files, and how often a test has walked over them.
    struct Built;

    impl RustEmbed for Built {
        fn get(_: &str) -> Option<EmbeddedFile> {
            None
        }

        fn iter() -> impl Iterator<Item = Cow<'static, str>> + 'static {
            WALKS.set(WALKS.get() + 1);
            let names = ["index-0a1b2c3d.js", "language-de-0a1b2c3d.js", "language-en-0a1b2c3d.js"];
            names.into_iter().map(|name| Cow::from(format!("assets/{name}")))
        }
    }

    fn named_for(accepted: &str) -> String {
        let value = accepted.parse().unwrap();
        let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, value)]);
        preload::<Built>(&headers).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn h35_a_long_wish_costs_no_more_than_a_short_one() {
        assert!(named_for(&",".repeat(16 * 1024)).contains("-en-"));
        assert_eq!(WALKS.get(), 1);
    }

    #[test]
    fn h35_the_first_sixteen_languages_count() {
        assert!(named_for(&format!("{}de", "tlh,".repeat(15))).contains("-de-"));
        assert!(named_for(&format!("{}de", "tlh,".repeat(16))).contains("-en-"));
    }
}
