import { beforeEach, expect, it, vi } from 'vitest'
import { Sealer } from '../crypto/envelope'
import type { OpenedText } from '../transport/secrets'
import type { SecretsDoor } from '../transport/secrets-door'
import { BEAM } from './sealed-beam-stage'
import { SealedTexts, type TextKeys } from './sealed-texts'

let envelope: string
let isKnown: boolean
const found = vi.fn()

beforeEach(async () => {
  envelope = await (await Sealer.of(new Uint8Array(32))).seal('share_clipboard', new Uint8Array(8))
  isKnown = false
  found.mockClear()
})

/** Texts under a key that is not here, and may be come by in these ways. */
function textsBy(...ways: TextKeys['ways']): SealedTexts {
  const secrets: Partial<SecretsDoor> = {
    open: async () => ({ is: isKnown ? 'broken' : 'unknown' }) satisfies OpenedText,
  }
  const keys: TextKeys = {
    beam: () => BEAM,
    invite: () => null,
    come: async () => {},
    ways,
    onFound: found,
  }
  return new SealedTexts(secrets as SecretsDoor, keys)
}

const fails = async () => {
  throw new Error('The server answers 503.')
}

it('e9_asks_the_devices_for_a_key_also_where_the_server_does_not_tell_what_was_deposited', async () => {
  const texts = textsBy(fails, async () => {
    isKnown = true
  })
  texts.seek('share_clipboard', envelope)
  await vi.waitFor(() => expect(found).toHaveBeenCalled())
})

it('e9_looks_for_a_key_again_that_nobody_knew_where_the_server_did_not_tell', async () => {
  const asks = vi.fn(async () => {})
  const texts = textsBy(fails, asks)
  for (const times of [1, 2]) {
    texts.seek('share_clipboard', envelope)
    await vi.waitFor(() => expect(asks).toHaveBeenCalledTimes(times))
    // What follows of the answer is done.
    await new Promise((resolve) => setTimeout(resolve))
  }
})
