-- The nodes that Redis does not hear, because they cannot reach it: each says here that it is there, and where.
CREATE TABLE node_beats (
    node    BLOB    NOT NULL PRIMARY KEY,
    address TEXT    NOT NULL,
    beat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
