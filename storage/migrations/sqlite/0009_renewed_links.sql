-- The id that the beam has now, in the row of an id that it had before its link was renewed (H28). It follows when the
-- link is renewed again.
ALTER TABLE beams ADD COLUMN renewed_as BLOB REFERENCES beams (id) ON UPDATE CASCADE ON DELETE SET NULL;
CREATE INDEX beams_renewed_as ON beams (renewed_as) WHERE renewed_as IS NOT NULL;
