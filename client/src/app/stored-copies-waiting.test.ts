/** Files whose items wait: for the keys of the beam. */
import { beforeEach, describe, expect, it } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { Encryption } from '../stores/encryption'
import {
  begins,
  copies,
  enterSaved,
  hold,
  isStored,
  keep,
  names,
  outgoing,
  STORED,
  shared,
  stores,
} from './stored-copies-stage'

beforeEach(begins)

const encrypt = (encryption: Encryption) => stores.encryption.setState(encryption, true)
const SEALED: Encryption = { kind: 'sealed', isDeposited: false }
const CLEAR: Encryption = { kind: 'clear' }
const WAITING: readonly Encryption[] = [
  { kind: 'unknown', isSuspected: true },
  { kind: 'waiting', isLinkOld: false },
  { kind: 'locked', isSuspected: true, mayShareClear: false },
]

describe.each(WAITING)('h44 a file that is shared while the keys are $kind', (waiting) => {
  it.each([
    ['saved', enterSaved],
    ['kept', () => keep(true)],
  ])('is not uploaded before its item can go out, in a beam that is %s', (_, begin) => {
    begin()
    encrypt(waiting)
    expect(copies.comesFirst(outgoing('a'))).toBe(false)
    hold(outgoing('a'))
    expect(names()).toEqual([])
  })

  it.each([
    ['are here', SEALED],
    ['turn out not to be', CLEAR],
  ])('is uploaded beside once they %s', (_, settled) => {
    enterSaved()
    encrypt(waiting)
    hold({ ...outgoing('a'), seal: newFileSeal() })
    expect(names()).toEqual([])
    encrypt(settled)
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(shared).toMatchObject([{ id: 'a', message: { file: { url: STORED.url } } }])
  })

  it('is uploaded first as before in a beam that is neither saved nor kept, which keeps the copy of a medium', () => {
    encrypt(waiting)
    expect(copies.comesFirst(outgoing('a'))).toBe(true)
  })
})
