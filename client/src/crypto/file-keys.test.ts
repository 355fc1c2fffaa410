import { expect, it } from 'vitest'
import { parseContent } from '../protocol/item'
import { fromBase64Url } from './bytes'
import { fileKeysOf, newFileSeal } from './file-keys'

it('the seal of a file is one that other devices read in its item', () => {
  const seal = newFileSeal()
  expect(parseContent({ file: { name: 'a', size: 1, type: '', seal } }, 'file')).toMatchObject({ seal })
  expect(fromBase64Url(seal.key)).toHaveLength(32)
  expect(fromBase64Url(seal.salt)).toHaveLength(24)
})

it('two files have two seals', () => {
  const [one, other] = [newFileSeal(), newFileSeal()]
  expect(one.key).not.toBe(other.key)
  expect(one.salt).not.toBe(other.salt)
})

it('the same seal gives the same chunks and hashes everywhere, and another salt other chunks', async () => {
  const seal = newFileSeal()
  const [one, same, other] = await Promise.all([
    fileKeysOf(seal),
    fileKeysOf({ ...seal }),
    fileKeysOf({ ...seal, salt: newFileSeal().salt }),
  ])
  const bytes = new Uint8Array(100)
  expect(await same.cipher.seal(3, bytes)).toEqual(await one.cipher.seal(3, bytes))
  expect(await other.cipher.seal(3, bytes)).not.toEqual(await one.cipher.seal(3, bytes))
  expect(same.pieces).toEqual(one.pieces)
  expect(one.pieces).toHaveLength(32)
})

it('a seal that is not base64url is refused', async () => {
  await expect(fileKeysOf({ key: '+', salt: '' })).rejects.toThrow()
})
