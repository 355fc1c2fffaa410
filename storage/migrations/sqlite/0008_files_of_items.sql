-- Whether the items of its beam decide how long a file stays, whoever shared them (H44).
ALTER TABLE uploads ADD COLUMN for_item INTEGER NOT NULL DEFAULT 0;
