-- Whether the beam's notes lie in the same places for everybody (S35), and where each lies, in CSS pixels.
ALTER TABLE beams ADD COLUMN arranged BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notes ADD COLUMN place_x BIGINT;
ALTER TABLE notes ADD COLUMN place_y BIGINT;
