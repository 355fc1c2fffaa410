-- People, and where they are logged in. The username is unique without case: `username_key` is its lower case.
CREATE TABLE accounts (
    id            UUID    NOT NULL PRIMARY KEY,
    username      TEXT    NOT NULL,
    username_key  TEXT    NOT NULL UNIQUE,
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    password_hash TEXT    NOT NULL,
    -- The name of the picture's blob.
    picture       TEXT,
    created_at    BIGINT NOT NULL
);

-- A session is one login: the family of all tokens that came from it.
CREATE TABLE sessions (
    id         UUID    NOT NULL PRIMARY KEY,
    account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

-- Only hashes. A refresh token is used once; it stays, so that a replay is known.
CREATE TABLE tokens (
    hash       BYTEA    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    session_id UUID    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('access', 'refresh')),
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

CREATE INDEX tokens_session ON tokens (session_id);
CREATE INDEX tokens_expires_at ON tokens (expires_at);
