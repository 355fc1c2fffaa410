/** Messages of the live channel as text: parses and validates the server's, serializes the client's. */
import * as v from 'valibot'
import type { ClientMessage, ServerMessage } from './bindings'
import { serverMessageSchema } from './schemas'

/** Parses one text message of the server. Returns null for a message that this client does not know (S20). */
export function parseServerMessage(text: string): ServerMessage | null {
  const parsed = v.safeParse(serverMessageSchema, withCorrectSpelling(parseJson(text)))
  return parsed.success ? parsed.output : null
}

/** Serializes one message for the server. */
export function encodeClientMessage(message: ClientMessage): string {
  return JSON.stringify(message)
}

/** Parses JSON. Returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// The specification also accepts the misspelt type `auth_sucess`, which has no message text.
function withCorrectSpelling(value: unknown): unknown {
  const isMisspelt =
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'auth_sucess'
  return isMisspelt ? { message: '', ...value, type: 'auth_success' } : value
}
