-- What a saved or kept beam knows of the items that its notes lack: dropped for lack of room, or lost with an earlier
-- memory. The live beam reads and writes it.
ALTER TABLE beams ADD COLUMN earlier TEXT;
