import { describe, expect, it } from 'vitest'
import { randomBytes } from './bytes'
import { entropyIn, wordsOf } from './recovery-words'

/** Of the test vectors of BIP 39 (github.com/trezor/python-mnemonic, vectors.json). */
const VECTORS = [
  [0x00, 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'],
  [0x7f, 'legal winner thank year wave sausage worth useful legal winner thank yellow'],
  [0x80, 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above'],
  [0xff, 'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong'],
] as const

describe('the recovery words', () => {
  it.each(VECTORS)('e17 are those of BIP 39 for bytes of %i', async (byte, words) => {
    const entropy = new Uint8Array(16).fill(byte)
    expect((await wordsOf(entropy)).join(' ')).toBe(words)
    expect(await entropyIn(words)).toEqual(entropy)
  })

  it('e17 are read as people type them', async () => {
    const entropy = randomBytes(16)
    const words = await wordsOf(entropy)
    const typed = words.map((word, at) => `${at + 1}. ${word.toUpperCase()}`).join('\n')
    expect(await entropyIn(`  ${typed}, `)).toEqual(entropy)
  })

  it('e17 are not read where one is missing, is no word of the list, or is another', async () => {
    const [, words] = VECTORS[1]
    const all = words.split(' ')
    expect(await entropyIn(all.slice(1).join(' '))).toBeNull()
    expect(await entropyIn(all.with(3, 'heliograph').join(' '))).toBeNull()
    expect(await entropyIn(all.with(3, 'zoo').join(' '))).toBeNull()
    expect(await entropyIn('')).toBeNull()
  })
})
