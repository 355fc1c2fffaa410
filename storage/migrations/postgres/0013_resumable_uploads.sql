-- Bytes of an upload in pieces (H45) that are safely in its staging file; null for an upload that came in one request.
-- While it is pending, `size` is the length that its sender declared, and its room is reserved.
ALTER TABLE uploads ADD COLUMN received BIGINT CHECK (received >= 0);
