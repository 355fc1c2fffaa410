import { expect, it } from 'vitest'
import { readWayIn } from './ways-in'

it.each([
  ['join', { id: '', key: '', proof: '' }],
  ['commit', { commitment: '' }],
  ['accept', { key: '', nonce: '' }],
  ['reveal', { key: '', nonce: '' }],
])('e6_no_field_of_%s_is_longer_than_256_characters', (op, fields) => {
  for (const field of Object.keys(fields)) {
    const ofLength = (length: number) => readWayIn({ op, ...fields, [field]: 'a'.repeat(length) })
    expect([ofLength(256) === null, ofLength(257)]).toEqual([false, null])
  }
})

it('e6_a_welcome_carries_as_many_keys_as_a_beam_may_have', () => {
  expect(readWayIn({ op: 'welcome', encapsulated: '', sealed: 'a'.repeat(100_000) })).not.toBeNull()
})
