/** The server's limits for this device (S4). */
import { createStore } from 'zustand/vanilla'
import { type Limits, MAX_LIVE_ITEMS, MAX_MESSAGE_BYTES, MAX_NOTES, MAX_PLACES } from '../protocol/bindings'

/** What holds before the first welcome. How large a file may be, only the server knows. */
const USUAL: Limits = {
  message_bytes: MAX_MESSAGE_BYTES,
  live_items: MAX_LIVE_ITEMS,
  stored_items: MAX_NOTES,
  places: MAX_PLACES,
  upload_bytes: Number.MAX_SAFE_INTEGER,
}

export function createLimitsStore() {
  return createStore<Limits>()(() => USUAL)
}
