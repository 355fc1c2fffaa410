import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseServerMessage } from './envelope'
import { serverMessageSchema } from './schemas'

/** One example of every server message, written by the server's own tests (shared/tests/golden.rs). */
const MESSAGES = readFileSync(new URL('../../../shared/tests/server-messages.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const DEVICE = '01010101-0101-0101-0101-010101010101'
const says = (message: unknown) => parseServerMessage(JSON.stringify(message))

describe('the messages of the server', () => {
  it.each(MESSAGES)('is read with every field of it: %s', (text) => {
    expect(parseServerMessage(text)).toEqual(JSON.parse(text))
  })

  it('has an example of each type that is read', () => {
    const types = new Set(MESSAGES.map((text) => JSON.parse(text).type))
    expect(types).toEqual(new Set(serverMessageSchema.options.map(({ entries }) => entries.type.literal)))
  })

  it('may lack a field that an older server does not know', () => {
    const message = { device_id: DEVICE, ice_servers: [], expires_at: null, now: 1, creator: false }
    expect(says({ type: 'welcome', message })).toMatchObject({ message: { saved: null } })
  })

  it('s20_may_have_a_field_that_only_a_newer_server_knows', () => {
    expect(says({ type: 'error', message: 'No.', extra: 'too_green', hint: 1 })).toEqual({
      type: 'error',
      message: 'No.',
      extra: 'internal',
    })
    const device = { device_id: DEVICE, name: 'Chrome', caps: ['files', 'smell'] }
    expect(says({ type: 'authed_users', message: [device] })).toMatchObject({
      message: [{ caps: ['files', 'unknown'] }],
    })
  })

  it.each([
    ['an id that is no UUID', { type: 'signal', message: 1, extra: { from: 'me' } }],
    ['a field of another type', { type: 'beam_renamed', message: 7 }],
    ['a missing field', { type: 'signal', message: 1 }],
    ['a type that nobody knows', { type: 'dance' }],
  ])('is not taken with %s', (_what, message) => {
    expect(says(message)).toBeNull()
  })
})
