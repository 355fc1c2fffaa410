/**
 * The twelve words that open a vault without its password: 128 random bits and 4 of their SHA-256, eleven to a word (BIP 39,
 * English). The list comes from `@scure/bip39`, of which this is the only file that imports anything; it is loaded when it is needed.
 */
import type { Bytes } from './bytes'
import { derive } from './hkdf'

export const WORDS = 12
const ENTROPY_BYTES = 16
const BITS_A_WORD = 11
const KEY_BYTES = 32

async function list(): Promise<readonly string[]> {
  return (await import('@scure/bip39/wordlists/english.js')).wordlist
}

/** Returns the words that stand for 16 bytes. */
export async function wordsOf(entropy: Bytes): Promise<readonly string[]> {
  const all = await list()
  const bits = `${bitsOf(entropy)}${await checkBits(entropy)}`
  return Array.from({ length: WORDS }, (_, at) => {
    const number = Number.parseInt(bits.slice(at * BITS_A_WORD, (at + 1) * BITS_A_WORD), 2)
    return all[number] ?? ''
  })
}

/** Reads twelve words as somebody types them. Returns null where they are not twelve of the list, or one is another. */
export async function entropyIn(typed: string): Promise<Bytes | null> {
  const all = await list()
  const numbers = typed
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => all.indexOf(word))
  if (numbers.length !== WORDS || numbers.includes(-1)) return null
  const bits = numbers.map((number) => number.toString(2).padStart(BITS_A_WORD, '0')).join('')
  const entropy = Uint8Array.from({ length: ENTROPY_BYTES }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  )
  return bits.slice(ENTROPY_BYTES * 8) === (await checkBits(entropy)) ? entropy : null
}

/** What the words open with. */
export function keyOfWords(entropy: Bytes): Promise<Bytes> {
  return derive(entropy, 'beam-e2e/1 vault-words', KEY_BYTES)
}

async function checkBits(entropy: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', entropy))
  return bitsOf(hash.slice(0, 1)).slice(0, WORDS * BITS_A_WORD - ENTROPY_BYTES * 8)
}

function bitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
}
