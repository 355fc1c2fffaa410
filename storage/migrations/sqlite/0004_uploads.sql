-- Files that people upload. A row is there before the first byte and after the last, so a kill at any step leaves a row
-- that says what to remove: pending (some bytes may be there), ready (all are there), dead (on its way to `dead_blobs`).
CREATE TABLE uploads (
    -- 128 random bits as hexadecimal digits. Who knows them may read the file.
    id         TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    -- Whose room it takes. Deleting an account without its uploads fails.
    account_id BLOB    REFERENCES accounts (id),
    -- With which beam it ends.
    beam_id    BLOB    REFERENCES beams (id) ON DELETE SET NULL ON UPDATE CASCADE,
    name       TEXT    NOT NULL,
    media_type TEXT    NOT NULL,
    -- Of a pending one: the room that it has been given.
    size       INTEGER NOT NULL CHECK (size >= 0),
    state      TEXT    NOT NULL CHECK (state IN ('pending', 'ready', 'dead')),
    -- The name under which the place of the blobs keeps what is written of a pending one.
    parts      TEXT,
    created_at INTEGER NOT NULL,
    -- When a pending one was last heard of.
    touched_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_account ON uploads (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX uploads_beam ON uploads (beam_id) WHERE beam_id IS NOT NULL;
CREATE INDEX uploads_expires_at ON uploads (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX uploads_pending ON uploads (touched_at) WHERE state = 'pending';

-- Blobs that nobody wants any more: a row stays until its blob is really gone.
CREATE TABLE dead_blobs (
    name  TEXT    NOT NULL PRIMARY KEY,
    parts TEXT,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
