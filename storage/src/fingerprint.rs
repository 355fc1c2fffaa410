//! Which database a program was told, so that two programs can see whether they mean the same one.

use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;

use crate::Location;

impl Location {
    /// Which database it is, without user and password. A folder has only one, so that its path is not told: two
    /// programs may see the same folder under different paths.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let Self::Postgres(url) = self else { return "sqlite".to_owned() };
        let Ok(options) = PgConnectOptions::from_str(url) else { return "postgres".to_owned() };
        let socket = options.get_socket().map(|path| path.display().to_string());
        let host = socket.unwrap_or_else(|| options.get_host().to_ascii_lowercase());
        // Postgres takes the name of the user for a database without a name.
        let name = options.get_database().unwrap_or_else(|| options.get_username());
        format!("postgres://{host}:{}/{name}", options.get_port())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_known_by_where_it_is_and_not_by_who_uses_it() {
        let of = |url: &str| Location::Postgres(url.to_owned()).fingerprint();
        let expected = "postgres://db:5432/beams";
        for same in
            ["postgres://ada:hush@db/beams", "postgresql://eve@DB:5432/beams?sslmode=disable"]
        {
            assert_eq!(of(same), expected);
        }
        for other in
            ["postgres://ada@db/other", "postgres://ada@db:5433/beams", "postgres://ada@b/beams"]
        {
            assert_ne!(of(other), expected);
        }
        assert_eq!(of("postgres://beams@db"), expected);
        assert_ne!(Location::Folder("x".into()).fingerprint(), expected);
    }
}
