-- Nobody has use of the keys of a beam that has ended. It kept them until now.
DELETE FROM sealed_keys WHERE beam_id IN (SELECT id FROM beams WHERE ended_at IS NOT NULL);
