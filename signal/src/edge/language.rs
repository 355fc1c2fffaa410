//! The texts of the page that a browser will ask for, so that it loads them beside the page's script, not after it.

use axum::http::{HeaderMap, HeaderValue, header};
use rust_embed::RustEmbed;

/// Beginning of the names of the catalogues, which `client/vite.config.ts` gives: `texts-de-1a2b3c4d.js`.
const CATALOGUE: &str = "assets/texts-";
/// Without a wish the page is in English.
const SOURCE: &str = "en";
/// Most choices of a browser that are looked at. A browser sends about four.
const MOST_CHOICES: usize = 16;

/// The `Link` header by which the index names the catalogue of the browser's language (RFC 8288). The page chooses by
/// more, for example by what the person chose earlier: then this one is loaded in vain.
pub(super) fn preload<Files: RustEmbed>(headers: &HeaderMap) -> Option<HeaderValue> {
    let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let wanted = wanted.unwrap_or_default().to_ascii_lowercase();
    let languages: Vec<_> = wanted_languages(&wanted).chain([SOURCE]).collect();
    // One walk over the files, however many languages are wanted.
    let ranked = Files::iter().filter_map(|path| {
        let code = code_of(&path)?;
        let rank = languages.iter().position(|language| language.eq_ignore_ascii_case(code))?;
        Some((rank, path))
    });
    let (_, path) = ranked.min()?;
    format!("</{path}>; rel=modulepreload").parse().ok()
}

/// The languages in the order in which browsers send them, the most wanted one first.
fn wanted_languages(accepted: &str) -> impl Iterator<Item = &str> {
    let tags = accepted.split(',').filter_map(|choice| choice.split(';').next());
    tags.take(MOST_CHOICES).map(|tag| language_of(tag.trim()))
}

/// The language in which the page answers a tag in lower case, by the rules of `client/src/languages/languages.ts`.
/// Chinese is written in two ways; a tag without a script says by its region which one is meant (RFC 5646, 4.1).
fn language_of(tag: &str) -> &str {
    let (primary, others) = tag.split_once('-').unwrap_or((tag, ""));
    let is_traditional = |subtag: &str| matches!(subtag, "hant" | "tw" | "hk" | "mo");
    match primary {
        "zh" if others.split('-').next() == Some("hans") => "zh-hans",
        "zh" if others.split('-').any(is_traditional) => "zh-hant",
        "zh" => "zh-hans",
        // Hebrew had the code `iw` until 1989, and some Android devices still say so.
        "iw" => "he",
        primary => primary,
    }
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
            let languages = ["de", "en", "he", "zh-Hans", "zh-Hant"].into_iter();
            let others = ["assets/language-dialog-0a1b2c3d.js", "assets/refusals-de-0a1b2c3d.js"];
            languages.map(catalogue).chain(others.map(str::to_owned)).map(Cow::from)
        }
    }

    fn catalogue(language: &str) -> String {
        format!("{CATALOGUE}{language}-0a1b2c3d.js")
    }

    fn assert_named(accepted: &str, language: &str) {
        let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, accepted.parse().unwrap())]);
        let expected = format!("</{}>; rel=modulepreload", catalogue(language));
        assert_eq!(preload::<Built>(&headers).unwrap(), expected, "{accepted}");
    }

    /// The cases of `client/src/languages/languages.test.ts`, as browsers send them.
    #[test]
    fn h35_the_texts_are_those_that_the_page_would_choose() {
        for (accepted, language) in [
            ("de-CH,de;q=0.9,en;q=0.8", "de"),
            ("gsw, DE-AT;q=0.5, en;q=0.1", "de"),
            ("zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"),
            ("zh-Hant-HK,zh;q=0.9", "zh-Hant"),
            ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
            ("zh-Hans-HK,zh;q=0.9", "zh-Hans"),
            ("zh,en;q=0.9", "zh-Hans"),
            ("iw-IL,iw;q=0.9,en;q=0.8", "he"),
            ("tlh,x-none", "en"),
            ("dialog,zh-dialog", "zh-Hans"),
            ("", "en"),
        ] {
            assert_named(accepted, language);
        }
    }

    #[test]
    fn h35_a_long_wish_costs_no_more_than_a_short_one() {
        assert_named(&",".repeat(16 * 1024), "en");
        assert_eq!(WALKS.get(), 1);
    }

    #[test]
    fn h35_the_first_sixteen_languages_count() {
        assert_named(&format!("{}de", "tlh,".repeat(15)), "de");
        assert_named(&format!("{}de", "tlh,".repeat(16)), "en");
    }
}
