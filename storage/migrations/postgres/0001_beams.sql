-- Times are milliseconds since the Unix epoch. A beam that ended stays 30 days, so that it can be told from one that
-- never was.
CREATE TABLE beams (
    id         UUID   NOT NULL PRIMARY KEY,
    key_hash   BYTEA  CHECK (length(key_hash) = 32),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at   BIGINT
);

CREATE INDEX beams_expires_at ON beams (expires_at);
CREATE INDEX beams_ended_at ON beams (ended_at) WHERE ended_at IS NOT NULL;
