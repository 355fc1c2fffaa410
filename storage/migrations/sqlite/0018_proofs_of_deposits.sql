-- What shows the keys of a saved beam to be right to who has its link (E9); and as many keys as may be deposited, 256 (H52). SQLite
-- changes no check of a table that is there.
CREATE TABLE new_deposited_keys (
    beam_id    BLOB NOT NULL PRIMARY KEY REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- One after another, 32 bytes each.
    keys       BLOB NOT NULL CHECK (length(keys) BETWEEN 32 AND 8192 AND length(keys) % 32 = 0),
    -- The id of that which seals.
    current_id BLOB NOT NULL CHECK (length(current_id) = 8),
    proof      BLOB CHECK (length(proof) = 32)
) STRICT, WITHOUT ROWID;
INSERT INTO new_deposited_keys SELECT beam_id, keys, current_id, NULL FROM deposited_keys;
DROP TABLE deposited_keys;
ALTER TABLE new_deposited_keys RENAME TO deposited_keys;
