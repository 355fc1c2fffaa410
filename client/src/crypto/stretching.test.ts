import { describe, expect, it } from 'vitest'
import { toBase64Url, utf8 } from './bytes'
import { argon2id, isEnough, MEMORY_KIB, PASSES, stretched } from './stretching'

const salt = new Uint8Array(16).fill(7)
const enough = { salt, memoryKib: MEMORY_KIB, passes: PASSES }
/** In place of one that takes a second: what depends on the hash alone is looked at here. */
const quick = async (password: Uint8Array, { salt }: typeof enough) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array([...password, ...salt])))

describe('a password', () => {
  it('e16 is hashed as the reference implementation does it', async () => {
    const hash = await argon2id(utf8('correct horse'), {
      salt: utf8('somesaltsomesalt'),
      memoryKib: 19 * 1024,
      passes: 2,
    })
    // The same as in storage/src/passwords.rs.
    expect(toBase64Url(hash)).toBe('k9ohroejZy1PN5E1SbHNPug6vB8eQAahb5SOAp6iGF4')
  })

  it('e16 becomes two parts that have nothing in common, and others with another salt', async () => {
    const parts = await stretched('correct horse', enough, quick)
    const again = await stretched('correct horse', enough, quick)
    const elsewhere = await stretched('correct horse', { ...enough, salt: salt.map(() => 8) }, quick)
    expect(again).toEqual(parts)
    const all = [parts.login, parts.vault, elsewhere.login, elsewhere.vault].map(toBase64Url)
    expect(new Set(all).size).toBe(4)
    for (const part of [parts.login, parts.vault]) expect(part.byteLength).toBe(32)
  })

  it('e16 is the same password however a keyboard writes its letters', async () => {
    const one = await stretched('caf\u00e9', enough, quick)
    expect(await stretched('cafe\u0301', enough, quick)).toEqual(one)
  })

  it.each([
    ['less memory', { ...enough, memoryKib: MEMORY_KIB - 1 }],
    ['fewer passes', { ...enough, passes: PASSES - 1 }],
    ['memory without end', { ...enough, memoryKib: 1024 * 1024 + 1 }],
    ['passes without end', { ...enough, passes: 17 }],
    ['a short salt', { ...enough, salt: new Uint8Array(15) }],
  ])('e16 is not stretched for a server that asks for %s', async (_, stretch) => {
    expect(isEnough(stretch)).toBe(false)
    await expect(stretched('correct horse', stretch, quick)).rejects.toThrow()
  })
})
