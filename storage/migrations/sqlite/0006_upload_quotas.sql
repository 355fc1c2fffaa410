-- From where a file without an account came, as a keyed hash of the address: counts for that address's quota.
ALTER TABLE uploads ADD COLUMN address TEXT;
-- All that the sums of the quotas look at.
CREATE INDEX uploads_room ON uploads (account_id, address, beam_id, expires_at, size);

-- One row. Whoever gives room to an upload writes it first and so is the only one who does.
CREATE TABLE upload_room (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    turns INTEGER  NOT NULL
);
INSERT INTO upload_room (id, turns) VALUES (1, 0);

-- How often a blob could not be removed.
ALTER TABLE dead_blobs ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
