-- What the sender of an upload in pieces said of it, word for word, to be read again (H46).
ALTER TABLE uploads ADD COLUMN metadata TEXT;
