-- A saved beam has an owner and no end. The table is made anew: `expires_at` may be null now.
CREATE TABLE new_beams (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    key_hash    BLOB    CHECK (length(key_hash) = 32),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    ended_at    INTEGER,
    owner_id    BLOB    REFERENCES accounts (id),
    name        TEXT,
    link_access TEXT    NOT NULL DEFAULT 'write' CHECK (link_access IN ('none', 'read', 'write')),
    -- The number of the newest note.
    last_seq    INTEGER NOT NULL DEFAULT 0,
    CHECK ((owner_id IS NULL) = (name IS NULL)),
    CHECK (owner_id IS NOT NULL OR expires_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO new_beams (id, key_hash, created_at, expires_at, ended_at)
SELECT id, key_hash, created_at, expires_at, ended_at FROM beams;
DROP TABLE beams;
ALTER TABLE new_beams RENAME TO beams;

CREATE INDEX beams_expires_at ON beams (expires_at);
CREATE INDEX beams_ended_at ON beams (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX beams_owner ON beams (owner_id, created_at) WHERE owner_id IS NOT NULL;

CREATE TABLE shares (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    beam_id    BLOB    NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    level      TEXT    NOT NULL CHECK (level IN ('read', 'write', 'admin')),
    created_at INTEGER NOT NULL,
    UNIQUE (beam_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_account ON shares (account_id, created_at);

CREATE TABLE notes (
    beam_id    BLOB    NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    id         BLOB    NOT NULL CHECK (length(id) = 16),
    seq        INTEGER NOT NULL,
    -- Any JSON value, byte for byte.
    content    TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    device_id  BLOB    NOT NULL CHECK (length(device_id) = 16),
    -- Who shared it, if it was somebody who was logged in.
    author_id  BLOB    REFERENCES accounts (id) ON DELETE SET NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (beam_id, id),
    UNIQUE (beam_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX notes_author ON notes (author_id) WHERE author_id IS NOT NULL;

-- Devices that were sent away, by the id that their token gives in this beam.
CREATE TABLE removed_devices (
    beam_id   BLOB NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    device_id BLOB NOT NULL CHECK (length(device_id) = 16),
    PRIMARY KEY (beam_id, device_id)
) STRICT, WITHOUT ROWID;
