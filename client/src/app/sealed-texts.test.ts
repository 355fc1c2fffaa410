import { beforeEach, expect, it, vi } from 'vitest'
import { Sealer } from '../crypto/envelope'
import type { OpenedText } from '../transport/having'
import type { SecretsDoor } from '../transport/secrets-door'
import { BEAM } from './sealed-beam-stage'
import { SealedTexts, type TextKeys } from './sealed-texts'

let envelope: string
let isKnown: boolean
const found = vi.fn()

/** Returns an envelope under one of 2^32 keys. */
async function sealedWith(key: number): Promise<string> {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, key)
  return (await Sealer.of(bytes)).seal('share_clipboard', new Uint8Array(8))
}

beforeEach(async () => {
  envelope = await sealedWith(0)
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

it('e11_looks_for_a_key_again_that_nobody_knew_when_another_device_has_come', async () => {
  const asks = vi.fn(async () => {})
  const texts = textsBy(asks)
  texts.seekAgain()
  texts.seek('share_clipboard', envelope)
  await vi.waitFor(() => expect(asks).toHaveBeenCalledTimes(1))
  await new Promise((resolve) => setTimeout(resolve))
  asks.mockImplementation(async () => {
    isKnown = true
  })
  texts.seekAgain()
  await vi.waitFor(() => expect(found).toHaveBeenCalledOnce())
  expect(asks).toHaveBeenCalledTimes(2)
})

it('e9_remembers_256_keys_that_nobody_knew_and_looks_for_the_oldest_again', async () => {
  const asks = vi.fn(async () => {})
  const texts = textsBy(asks)
  const sealed = await Promise.all(Array.from({ length: 256 }, (_, key) => sealedWith(key + 1)))
  const seeks = async (sought: readonly string[], times: number) => {
    for (const one of sought) texts.seek('share_clipboard', one)
    await vi.waitFor(() => expect(asks).toHaveBeenCalledTimes(times))
    await new Promise((resolve) => setTimeout(resolve))
  }
  await seeks([envelope], 1)
  // The first of them alone, and the others together.
  await seeks(sealed.slice(0, 255), 3)
  await seeks([...sealed.slice(0, 255), envelope], 3)
  await seeks(sealed.slice(255), 4)
  await seeks([...sealed.slice(1), envelope], 5)
})

it('e9_finds_a_key_that_comes_after_nobody_could_tell_it', async () => {
  const asks = vi.fn(fails)
  const texts = textsBy(asks)
  texts.seek('share_clipboard', envelope)
  await vi.waitFor(() => expect(asks).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  expect(await texts.findUnknown()).toBe(false)
  isKnown = true
  expect(await texts.findUnknown()).toBe(true)
  expect(await texts.findUnknown()).toBe(false)
})
