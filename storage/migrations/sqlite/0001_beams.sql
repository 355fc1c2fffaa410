-- Times are milliseconds since the Unix epoch. A beam that ended stays 30 days, so that it can be told from one that
-- never was.
CREATE TABLE beams (
    id         BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    key_hash   BLOB    CHECK (length(key_hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX beams_expires_at ON beams (expires_at);
CREATE INDEX beams_ended_at ON beams (ended_at) WHERE ended_at IS NOT NULL;
