//! `heliograph config`: every setting of `serve`, its value, and where it comes from.

use std::fmt::Write as _;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory as _};

use crate::config::Config;

/// Stands for a secret.
const MASK: &str = "…";
/// Parts of the names of parameters whose values are secrets.
const SECRETS: [&str; 4] = ["password", "secret", "token", "key"];

/// All settings, one a line, without secrets.
#[must_use]
pub fn table(matches: &ArgMatches) -> String {
    let command = Config::command();
    let arguments =
        command.get_arguments().filter(|arg| matches.try_contains_id(name(arg)).is_ok());
    let rows: Vec<_> = arguments
        .filter_map(|arg| Some((arg.get_long()?, value(arg, matches), source(arg, matches))))
        .collect();
    let names = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let values = rows.iter().map(|(_, value, _)| value.chars().count().min(48)).max();
    let values = values.unwrap_or_default();
    let mut text = String::new();
    for (name, value, source) in &rows {
        // Writing to a String never fails.
        let _ = writeln!(text, "{name:names$}  {value:values$}  {source}");
    }
    text
}

/// What to say of the settings, of which these things are wrong.
#[must_use]
pub fn verdict(wrong: &[String]) -> String {
    if wrong.is_empty() { "The settings are good.".to_owned() } else { wrong.join("\n") }
}

fn name(arg: &Arg) -> &str {
    arg.get_id().as_str()
}

fn value(arg: &Arg, matches: &ArgMatches) -> String {
    let Some(values) = matches.get_raw(name(arg)) else { return "(not set)".to_owned() };
    let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
    let text = values.join(",");
    match text.split_once("://") {
        Some((scheme, rest)) => masked(scheme, rest),
        None if arg.is_hide_env_values_set() => MASK.to_owned(),
        None => text,
    }
}

fn source(arg: &Arg, matches: &ArgMatches) -> String {
    match matches.value_source(name(arg)) {
        Some(ValueSource::CommandLine) => "flag".to_owned(),
        Some(ValueSource::EnvVariable) => {
            arg.get_env().map_or_else(|| "variable".to_owned(), |name| name.display().to_string())
        }
        Some(_) => "default".to_owned(),
        None => "-".to_owned(),
    }
}

/// An address without its password, and without parameters that are secrets. A password may contain any character, so
/// the last `@` ends it.
fn masked(scheme: &str, rest: &str) -> String {
    let (user, place) =
        rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
    let mut text = format!("{scheme}://");
    if let Some(user) = user {
        text += user.split_once(':').map_or(user, |(user, _)| user);
        text += if user.contains(':') { ":…@" } else { "@" };
    }
    let (path, query) =
        place.split_once('?').map_or((place, None), |(path, query)| (path, Some(query)));
    text += path;
    let parameters = query.into_iter().flat_map(|query| query.split('&'));
    for (at, parameter) in parameters.enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let is_secret = SECRETS.iter().any(|secret| name.to_ascii_lowercase().contains(secret));
        text += name;
        text.push('=');
        text += if is_secret { MASK } else { value };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(arguments: &[&str]) -> String {
        let arguments = [&["config"], arguments].concat();
        table(&Config::command().get_matches_from(arguments))
    }

    fn line<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
        let line = table.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
        line.split_whitespace().collect()
    }

    #[test]
    fn each_setting_of_serve_is_there_with_where_it_comes_from() {
        let table = shown(&["--listen", "127.0.0.1:9000", "--turn", "off"]);
        assert_eq!(line(&table, "listen"), ["listen", "127.0.0.1:9000", "flag"]);
        assert_eq!(line(&table, "turn"), ["turn", "off", "flag"]);
        assert_eq!(line(&table, "tls"), ["tls", "off", "default"]);
        assert_eq!(line(&table, "tls-listen"), ["tls-listen", "(not", "set)", "-"]);
        let arguments = Config::command().get_arguments().filter_map(Arg::get_long).count();
        assert_eq!(table.lines().count(), arguments);
    }

    #[test]
    fn no_secret_is_shown() {
        for (flag, value, expected) in [
            ("--database", "postgres://ada:hush@db/beams", "postgres://ada:…@db/beams"),
            ("--database", "postgres://ada:h@/?hush@db/b", "postgres://ada:…@db/b"),
            (
                "--database",
                "postgres://db/b?user=a&password=hush",
                "postgres://db/b?user=a&password=…",
            ),
            ("--database", "ada:hush@db", "…"),
            ("--s3-secret-access-key", "hush", "…"),
            ("--s3-access-key-id", "hush", "…"),
            ("--blobs", "s3://b?endpoint=https://ada:hush@s3", "s3://b?endpoint=https:…@s3"),
        ] {
            let table = shown(&[flag, value]);
            assert!(!table.contains("hush"), "{table}");
            assert_eq!(line(&table, &flag[2..])[1], expected);
        }
    }
}
