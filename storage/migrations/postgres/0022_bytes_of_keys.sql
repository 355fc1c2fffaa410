-- Bytes of a beam's keys in vaults, which its owner pays for.
ALTER TABLE beams ADD COLUMN key_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE beams SET key_bytes = COALESCE((SELECT SUM(length(k.sealed)) FROM sealed_keys k WHERE k.beam_id = beams.id), 0);
