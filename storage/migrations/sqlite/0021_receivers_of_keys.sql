-- The public key to which keys are sealed: with another vault, their receiver opens them no more.
ALTER TABLE sealed_keys ADD COLUMN to_key BLOB CHECK (length(to_key) = 65);
UPDATE sealed_keys SET to_key = (SELECT v.public_key FROM vaults v WHERE v.account_id = sealed_keys.account_id);
