/** The link through the server. What may be in flight is bounded by the receiver's wants, so there is always room. */
import { MAX_RELAYED_FRAME_BYTES } from '../protocol/bindings'
import type { FrameLink } from './frame-link'

export const RELAY_KEY = 'relay'

/** @param post hands a frame to the page, which owns the websocket */
export function relayLink(post: (frame: Uint8Array<ArrayBuffer>) => void): FrameLink {
  return {
    key: RELAY_KEY,
    kind: 'relay',
    // The server counts the address into its limit for one message.
    maxFrame: MAX_RELAYED_FRAME_BYTES,
    send: post,
    room: () => null,
    close: () => {},
  }
}
