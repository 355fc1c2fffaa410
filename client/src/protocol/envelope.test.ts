import { describe, expect, it } from 'vitest'
import type { ServerMessage } from './bindings'
import { parseServerMessage, type ReadableMessage } from './envelope'

/** A type as it is on the wire, where an id is any string. */
type OnTheWire<T> = T extends { readonly __id: string }
  ? string
  : T extends readonly (infer Element)[]
    ? OnTheWire<Element>[]
    : T extends object
      ? { [Key in keyof T]: OnTheWire<T[Key]> }
      : T

const DEVICE = '21234567-89ab-8cde-8f01-23456789abcd'
const SAVED = { beam_name: 'Cabin', role: 'owner', link_access: 'write' } as const
const WELCOME = { device_id: DEVICE, ice_servers: [], expires_at: null, now: 1, creator: false }

/** Everything that the server may say. The compiler refuses what the schema would not read. */
const MESSAGES: readonly (OnTheWire<ServerMessage> & ReadableMessage)[] = [
  { type: 'welcome', message: { ...WELCOME, saved: SAVED } },
  { type: 'welcome', message: { ...WELCOME, expires_at: 7, saved: null } },
  {
    type: 'authed_users',
    message: [
      { device_id: DEVICE, name: 'Chrome', caps: ['files'] },
      {
        device_id: DEVICE,
        name: 'Chrome',
        caps: [],
        username: 'mira',
        first_name: 'Mira',
        last_name: '',
        profile_picture: '/api/pictures/1',
      },
    ],
  },
  { type: 'beam_saved', message: SAVED },
  { type: 'beam_renamed', message: 'Cottage' },
  { type: 'access_changed', message: { ...SAVED, role: 'read', link_access: 'none' } },
  { type: 'error', message: 'No.', extra: 'forbidden' },
]

// Every message of the bindings is one that the schema reads; otherwise this line does not compile.
const readable = (said: OnTheWire<ServerMessage>): ReadableMessage => said

describe('what the server says', () => {
  it.each(MESSAGES.map((message) => [message.type, message] as const))('is read: %s', (_type, message) => {
    expect(parseServerMessage(JSON.stringify(readable(message)))).toEqual(message)
  })

  it('may leave out what an older server does not know', () => {
    const read = parseServerMessage(JSON.stringify({ type: 'welcome', message: WELCOME }))
    expect(read).toMatchObject({ message: { saved: null } })
  })
})
