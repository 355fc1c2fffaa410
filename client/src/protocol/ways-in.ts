/** The messages by which a device is let into a beam (E6, E8). */
import * as v from 'valibot'

/** Bounds what is decoded of a message: a welcome with all keys that a beam may have is smaller. */
const text = v.pipe(v.string(), v.maxLength(131_072))

/** Of all other messages: a public key, which is the longest of what these carry, has 87 characters. */
const short = v.pipe(v.string(), v.maxLength(256))

const schema = v.variant('op', [
  v.object({ op: v.literal('join'), id: short, key: short, proof: short }),
  v.object({ op: v.literal('commit'), commitment: short }),
  v.object({ op: v.literal('accept'), key: short, nonce: short }),
  v.object({ op: v.literal('reveal'), key: short, nonce: short }),
  v.object({ op: v.literal('wait') }),
  v.object({ op: v.literal('welcome'), encapsulated: text, sealed: text }),
  v.object({ op: v.literal('device'), sealed: text, isAnswer: v.boolean() }),
  v.object({ op: v.literal('keys'), encapsulated: text, sealed: text }),
  v.object({
    op: v.literal('refused'),
    why: v.picklist(['proof', 'keyless', 'person', 'locked']),
    /** Whether a device that is `keyless` came by a link. */
    hasLink: v.optional(v.boolean()),
  }),
])

export type WayIn = v.InferOutput<typeof schema>

/** Returns null for what this version does not know. */
export function readWayIn(message: unknown): WayIn | null {
  const parsed = v.safeParse(schema, message)
  return parsed.success ? parsed.output : null
}
