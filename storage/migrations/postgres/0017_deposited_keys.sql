-- The keys of sealed beams that their owners and admins have deposited, so that whoever may read such a beam can open it
-- (H52). The server does nothing with them but give them back.
CREATE TABLE deposited_keys (
    beam_id    UUID  NOT NULL PRIMARY KEY REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- One after another, 32 bytes each, at most 16.
    keys       BYTEA NOT NULL CHECK (length(keys) BETWEEN 32 AND 512 AND length(keys) % 32 = 0),
    -- The id of that which seals.
    current_id BYTEA NOT NULL CHECK (length(current_id) = 8)
);
