-- Until when the items of an unsaved beam are kept, the device that asked for it, and the pseudonym of its address, whose
-- quota they take.
ALTER TABLE beams
    ADD COLUMN kept_until BIGINT,
    ADD COLUMN kept_by UUID,
    ADD COLUMN kept_address TEXT,
    -- Whether anything was ever shared in the beam.
    ADD COLUMN had_items BIGINT NOT NULL DEFAULT 0;

CREATE INDEX beams_kept ON beams (kept_until) WHERE kept_until IS NOT NULL;
