-- Which node of the server drives a live beam, where there are several. Whoever takes a beam over puts a new token here, and
-- from then on the changes of the node that had it are refused. Without a foreign key: unsaved beams have no row at first.
-- behind is 1 while the bus lacks something that devices were told. Such a row stays when its node gives the beam back, without
-- a node (all bits 0). earlier is the node before this one.
CREATE TABLE beam_drivers (
    beam_id  BLOB    NOT NULL PRIMARY KEY,
    node     BLOB    NOT NULL,
    token    BLOB    NOT NULL,
    taken_at INTEGER NOT NULL,
    behind   INTEGER NOT NULL DEFAULT 0,
    earlier  BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX beam_drivers_node ON beam_drivers (node);
