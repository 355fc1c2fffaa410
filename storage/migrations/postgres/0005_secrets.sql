-- What the server must keep to itself and find again after a restart, one and the same for all who share these tables.
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL CHECK (length(value) = 32)
);
