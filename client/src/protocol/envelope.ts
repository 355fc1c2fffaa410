/** The live channel's messages as text: read with suspicion, written as the server's types say. */
import * as v from 'valibot'
import type { ClientMessage, ServerMessage } from './bindings'
import { serverMessageSchema } from './schemas'

/** Reads one text message of the server; null for what this client does not know (S20). */
export function parseServerMessage(text: string): ServerMessage | null {
  const parsed = v.safeParse(serverMessageSchema, withCorrectSpelling(parseJson(text)))
  return parsed.success ? parsed.output : null
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

// The specification also accepts the misspelt `auth_sucess`, and says nothing of a text with it.
function withCorrectSpelling(value: unknown): unknown {
  const isMisspelt =
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'auth_sucess'
  return isMisspelt ? { message: '', ...value, type: 'auth_success' } : value
}
