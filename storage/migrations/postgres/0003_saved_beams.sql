-- A saved beam has an owner and no end.
ALTER TABLE beams
    ALTER COLUMN expires_at DROP NOT NULL,
    ADD COLUMN owner_id UUID REFERENCES accounts (id),
    ADD COLUMN name TEXT,
    ADD COLUMN link_access TEXT NOT NULL DEFAULT 'write' CHECK (link_access IN ('none', 'read', 'write')),
    -- The number of the newest note.
    ADD COLUMN last_seq BIGINT NOT NULL DEFAULT 0,
    ADD CHECK ((owner_id IS NULL) = (name IS NULL)),
    ADD CHECK (owner_id IS NOT NULL OR expires_at IS NOT NULL);

CREATE INDEX beams_owner ON beams (owner_id, created_at) WHERE owner_id IS NOT NULL;

CREATE TABLE shares (
    id         UUID    NOT NULL PRIMARY KEY,
    beam_id    UUID    NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    level      TEXT    NOT NULL CHECK (level IN ('read', 'write', 'admin')),
    created_at BIGINT NOT NULL,
    UNIQUE (beam_id, account_id)
);

CREATE INDEX shares_account ON shares (account_id, created_at);

CREATE TABLE notes (
    beam_id    UUID    NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    id         UUID    NOT NULL,
    seq        BIGINT NOT NULL,
    -- Any JSON value, byte for byte.
    content    TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    device_id  UUID    NOT NULL,
    -- Who shared it, if it was somebody who was logged in.
    author_id  UUID    REFERENCES accounts (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (beam_id, id),
    UNIQUE (beam_id, seq)
);

CREATE INDEX notes_author ON notes (author_id) WHERE author_id IS NOT NULL;

-- Devices that were sent away, by the id that their token gives in this beam.
CREATE TABLE removed_devices (
    beam_id   UUID NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    device_id UUID NOT NULL,
    PRIMARY KEY (beam_id, device_id)
);
