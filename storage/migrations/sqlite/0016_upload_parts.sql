-- The parts of an upload that a bucket has already, while the file is copied there (H48): where it goes on after a failure
-- or a restart. `uploads.parts` is the bucket's name for all of them.
CREATE TABLE upload_parts (
    upload TEXT    NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 0),
    -- By which the bucket knows the part.
    tag    TEXT    NOT NULL,
    PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;
