-- The nodes of a server, each with the address at which the others reach it. seen_at is when it said so last. unheard_at is when
-- it went by this database last, because it could not reach Redis; 0 if never.
CREATE TABLE nodes (
    node       UUID   NOT NULL PRIMARY KEY,
    address    TEXT   NOT NULL,
    seen_at    BIGINT NOT NULL,
    unheard_at BIGINT NOT NULL
);
