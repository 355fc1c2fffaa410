/** Files whose items wait: for the keys of the beam, or for a network. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { ItemId } from '../protocol/bindings'
import type { Encryption } from '../stores/encryption'
import { reduceTransfers } from '../stores/transfers'
import { LATE_AFTER_MS } from './late-items'
import {
  BEAM,
  begins,
  copies,
  echo,
  enterSaved,
  first,
  gone,
  hold,
  isStored,
  keep,
  looked,
  names,
  offered,
  offeredSeals,
  outgoing,
  STORED,
  server,
  shared,
  stores,
  targets,
  transfer,
} from './stored-copies-stage'

beforeEach(begins)
afterEach(() => {
  vi.useRealTimers()
})

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

describe('h44 a file whose item reaches the server late after its copy', () => {
  const waits = (ms: number) => vi.setSystemTime(Date.now() + ms)
  const forget = (id: string) => {
    const event = { type: 'forgotten', id: id as ItemId } as const
    stores.transfers.setState((state) => reduceTransfers(state, event), true)
  }
  const addresses = () => shared.map(({ message }) => (message as { file: { url?: string } }).file.url)
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    enterSaved()
  })

  it('is offered from here and stored anew where the server has removed the copy', async () => {
    first()
    isStored('a.png')
    gone.add(STORED.url)
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    await vi.waitFor(() => expect(transfer('a')?.role).toBe('sending'))
    expect(addresses()).toEqual([STORED.url, undefined])
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(addresses()).toEqual([STORED.url, undefined, STORED.url])
  })

  it('is stored anew as well where devices receive it from here', async () => {
    hold(outgoing('a'))
    isStored('a.png')
    gone.add(STORED.url)
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    await vi.waitFor(() => expect(names()).toEqual(['a.png']))
    expect(offered).toEqual([])
  })

  it('e7_keeps_its_seal', async () => {
    const file = { ...outgoing('a'), seal: newFileSeal() }
    encrypt(SEALED)
    copies.show(file)
    copies.storeFirst(file, BEAM, () => {})
    isStored('a.png')
    gone.add(STORED.url)
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    await vi.waitFor(() => expect(offeredSeals).toEqual([file.seal]))
    expect(targets.map(({ seal }) => seal)).toEqual([file.seal, file.seal])
  })

  it('stays as it is where the copy is there', async () => {
    first()
    isStored('a.png')
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    await vi.waitFor(() => expect(looked).toEqual([STORED.url]))
    expect(addresses()).toEqual([STORED.url])
    expect(transfer('a')?.role).toBe('storing')
    // The server has named it: it is there from now on.
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    expect(looked).toEqual([STORED.url])
  })

  it('is not looked at where the item came in time', () => {
    first()
    isStored('a.png')
    waits(LATE_AFTER_MS - 1)
    echo('a', STORED.url)
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    expect(looked).toEqual([])
  })

  it('is looked at again where the server has not answered', async () => {
    first()
    isStored('a.png')
    gone.add(STORED.url)
    server.answers = false
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    await vi.waitFor(() => expect(looked).toEqual([STORED.url]))
    server.answers = true
    // As at each welcome.
    enterSaved()
    await vi.waitFor(() => expect(transfer('a')?.role).toBe('sending'))
  })

  it('is left alone when it is deleted meanwhile', async () => {
    first()
    isStored('a.png')
    gone.add(STORED.url)
    waits(LATE_AFTER_MS)
    echo('a', STORED.url)
    forget('a')
    await vi.waitFor(() => expect(looked).toEqual([STORED.url]))
    expect([addresses(), offered, names()]).toEqual([[STORED.url], [], []])
  })
})
