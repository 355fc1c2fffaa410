-- Until when the items of an unsaved beam are kept, the device that asked for it, and the pseudonym of its address, whose
-- quota they take.
ALTER TABLE beams ADD COLUMN kept_until INTEGER;
ALTER TABLE beams ADD COLUMN kept_by BLOB CHECK (length(kept_by) = 16);
ALTER TABLE beams ADD COLUMN kept_address TEXT;
CREATE INDEX beams_kept ON beams (kept_until) WHERE kept_until IS NOT NULL;

-- Whether anything was ever shared in the beam.
ALTER TABLE beams ADD COLUMN had_items INTEGER NOT NULL DEFAULT 0;
