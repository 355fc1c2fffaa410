-- Vaults of accounts (E17). The server opens nothing of them.
CREATE TABLE vaults (
    account_id  UUID NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    version     BIGINT NOT NULL,
    -- How the password is stretched that opens it.
    salt        BYTEA NOT NULL CHECK (length(salt) = 16),
    memory_kib  BIGINT NOT NULL,
    passes      BIGINT NOT NULL,
    -- The secret, sealed under a part of the password; null since the operator has replaced the password.
    by_password BYTEA,
    -- The same, sealed under the recovery words.
    by_words    BYTEA NOT NULL,
    public_key  BYTEA NOT NULL CHECK (length(public_key) = 65)
);

-- The keys of saved beams, sealed to the vaults of those who may read them (E18).
CREATE TABLE sealed_keys (
    beam_id      UUID NOT NULL REFERENCES beams (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id   UUID NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- How often the keys of this beam were written: the same in all its rows.
    version      BIGINT NOT NULL,
    -- The public key of the account that has sealed them.
    from_key     BYTEA NOT NULL CHECK (length(from_key) = 65),
    encapsulated BYTEA NOT NULL CHECK (length(encapsulated) = 65),
    sealed       BYTEA NOT NULL,
    PRIMARY KEY (beam_id, account_id)
);

CREATE INDEX sealed_keys_account ON sealed_keys (account_id);
