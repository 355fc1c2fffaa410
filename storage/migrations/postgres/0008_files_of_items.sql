-- Whether the items of its beam decide how long a file stays, whoever shared them (H44).
ALTER TABLE uploads ADD COLUMN for_item BIGINT NOT NULL DEFAULT 0;
