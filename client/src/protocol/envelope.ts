/** The live channel's messages as text: read with suspicion, written as the server's types say. */
import * as v from 'valibot'
import type { ClientMessage, ServerMessage } from './bindings'

const id = v.pipe(v.string(), v.uuid())

const device = v.object({
  device_id: id,
  name: v.string(),
  caps: v.array(v.picklist(['files', 'rtc', 'unknown'])),
  username: v.optional(v.string()),
  first_name: v.optional(v.string()),
  last_name: v.optional(v.string()),
  profile_picture: v.optional(v.string()),
})

const savedBeam = v.object({
  beam_name: v.string(),
  role: v.picklist(['read', 'write', 'admin', 'owner']),
  link_access: v.picklist(['none', 'read', 'write']),
})

const liveItem = {
  message: v.unknown(),
  extra: v.string(),
  id,
  seq: v.number(),
  from: id,
  at: v.number(),
}

const iceServer = v.object({
  urls: v.array(v.string()),
  username: v.optional(v.string()),
  credential: v.optional(v.string()),
})

const serverMessage = v.variant('type', [
  v.object({ type: v.literal('auth_success'), message: v.optional(v.unknown()) }),
  v.object({
    type: v.literal('welcome'),
    message: v.object({
      device_id: id,
      ice_servers: v.array(iceServer),
      expires_at: v.nullable(v.number()),
      now: v.number(),
      creator: v.boolean(),
      saved: v.optional(v.nullable(savedBeam), null),
    }),
  }),
  v.object({ type: v.literal('authed_users'), message: v.array(device) }),
  v.object({ type: v.literal('rec_clipboard'), ...liveItem }),
  v.object({ type: v.literal('delete_note'), message: v.unknown(), id: v.optional(id) }),
  v.object({
    type: v.literal('sync'),
    message: v.object({
      epoch: v.string(),
      oldest: v.number(),
      items: v.array(v.object(liveItem)),
      next: v.nullable(v.number()),
    }),
  }),
  v.object({ type: v.literal('signal'), message: v.unknown(), extra: v.object({ from: id }) }),
  v.object({ type: v.literal('beam_saved'), message: savedBeam }),
  v.object({ type: v.literal('beam_renamed'), message: v.string() }),
  v.object({ type: v.literal('access_changed'), message: savedBeam }),
  v.object({ type: v.literal('error'), message: v.string(), extra: v.string() }),
])

/** What the schema takes; a test holds it against the server's own types. */
export type ReadableMessage = v.InferInput<typeof serverMessage>

/** Reads one text message of the server; null for what this client does not know (S20). */
export function parseServerMessage(text: string): ServerMessage | null {
  const parsed = v.safeParse(serverMessage, withCorrectSpelling(parseJson(text)))
  // The schema checks the shapes; the brands of ids are the bindings' own.
  return parsed.success ? (parsed.output as unknown as ServerMessage) : null
}

/** Writes one message for the server. */
export function encodeClientMessage(message: ClientMessage): string {
  return JSON.stringify(message)
}

/** Parses JSON; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// The specification also accepts the misspelt `auth_sucess`.
function withCorrectSpelling(value: unknown): unknown {
  const isMisspelt =
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'auth_sucess'
  return isMisspelt ? { ...value, type: 'auth_success' } : value
}
