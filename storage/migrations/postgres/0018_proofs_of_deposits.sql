-- What shows the keys of a saved beam to be right to who has its link (E9); and as many keys as may be deposited, 256 (H52).
ALTER TABLE deposited_keys ADD COLUMN proof BYTEA CHECK (length(proof) = 32);
ALTER TABLE deposited_keys DROP CONSTRAINT deposited_keys_keys_check;
ALTER TABLE deposited_keys ADD CHECK (length(keys) BETWEEN 32 AND 8192 AND length(keys) % 32 = 0);
