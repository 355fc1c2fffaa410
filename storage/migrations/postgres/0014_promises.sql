-- When an unfinished upload in pieces (H45) ends unless more of it comes (H47): soon as long as nothing of it is here.
ALTER TABLE uploads ADD COLUMN ends_at BIGINT;
UPDATE uploads SET ends_at = touched_at + 86400000 WHERE state = 'pending' AND received IS NOT NULL;

-- Who sends a file for an item of a saved beam, by whose rights it goes on: an account, or null for the beam's link.
-- Without a foreign key: an account that is gone has no rights.
ALTER TABLE uploads ADD COLUMN sender_id UUID;
CREATE INDEX uploads_sender ON uploads (sender_id) WHERE sender_id IS NOT NULL;
