-- Bytes of the notes of a beam, which count for its owner's quota.
ALTER TABLE beams ADD COLUMN note_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE beams SET note_bytes = COALESCE(
    (SELECT SUM(length(CAST(content AS BLOB)) + length(CAST(kind AS BLOB))) FROM notes WHERE beam_id = beams.id), 0)
WHERE owner_id IS NOT NULL;

-- The upload that a note of a file names (F9).
ALTER TABLE notes ADD COLUMN upload TEXT;
UPDATE notes SET upload = substr(content, instr(content, '"/api/uploads/') + 14, 32)
WHERE content LIKE '{%"url"%"/api/uploads/%';
CREATE INDEX notes_upload ON notes (upload) WHERE upload IS NOT NULL;

-- Since when no note names an upload that a note did name.
ALTER TABLE uploads ADD COLUMN unused_since INTEGER;
CREATE INDEX uploads_unused ON uploads (unused_since) WHERE unused_since IS NOT NULL;
