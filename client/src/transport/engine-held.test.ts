import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  adaAndBob,
  bytes,
  closePorts,
  FILE,
  FILES,
  incomingFile,
  MIB,
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'
import type { Found } from './sinks/sink'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => {
  closePorts()
  vi.useRealTimers()
})

/** Carries what comes until Bob has all of it. What was here before is compared, and hashes are asked for once a second. */
async function allComes(): Promise<void> {
  for (let second = 0; second < 10 && bob.last('receiving')?.status !== 'done'; second++) {
    await settles(1_000)
    await server.carries()
  }
}

describe('a file of which a part is here, and nothing of that outlives the page', () => {
  const SIZE = 6 * MIB
  const sent = bytes(SIZE)
  const OTHERS = [...FILES.slice(1), FILE.replace(/^0/, '3') as typeof FILE]
  /** What was under way when it was interrupted, or was not compared yet. */
  const AGAIN = 3 * MIB

  /** A file of the person's, as the browser writes it. */
  function pickedFile(name = 'a.bin') {
    const file = { bytes: new Uint8Array(SIZE), isClosed: false, aborted: 0 }
    const close = vi.fn(async () => {
      file.isClosed = true
    })
    const stream = {
      truncate: async () => {},
      write: async ({ position, data }: { position: number; data: Uint8Array }) => {
        file.bytes.set(data, position)
      },
      close,
      abort: async () => {
        file.aborted += 1
      },
    }
    const createWritable = vi.fn(async () => stream)
    const remove = vi.fn(async () => {})
    // The browser writes into place only when it closes.
    const getFile = async () => new Blob()
    const picked = {
      name,
      createWritable,
      getFile,
      remove,
      isSameEntry: async (other: FileSystemHandle) => other.name === name,
    }
    return { file, close, createWritable, remove, handle: picked as unknown as FileSystemFileHandle }
  }

  const asks = (picked: FileSystemFileHandle | null) =>
    bob.engine.handle({ do: 'receive', file: incomingFile(SIZE, ada), picked })

  /** Two thirds of Ada's file come, and are compared. */
  async function aPartComes(picked: FileSystemFileHandle | null = null): Promise<void> {
    ada.offers(new Blob([sent]))
    asks(picked)
    await settles()
    while (server.carried < 4 * MIB) {
      server.carriesSome(8)
      await settles(20)
    }
    await settles(PROGRESS_INTERVAL_MS)
    expect(bob.last('receiving')?.status).toBe('moving')
  }

  /** Ada's page begins anew, without the file. */
  async function adaReloads(): Promise<void> {
    ada.seesNobody()
    bob.seesNobody()
    ada = stageDevice('a')
    server = new StageServer(ada, bob)
    bob.sees(ada)
    ada.sees(bob)
    await server.carries()
  }

  /** Ada's page has the file again, and Bob's goes on by itself. */
  async function adaReturns(): Promise<void> {
    await adaReloads()
    ada.offers(new Blob([sent]))
    await settles(PROGRESS_INTERVAL_MS)
    server.carriesSome(1)
    await settles(PROGRESS_INTERVAL_MS)
    expect(bob.last('receiving')?.status).toBe('moving')
  }

  it.each([
    ['in memory', () => null],
    ['at a place that the person picked', () => pickedFile()],
  ])('f17 waits %s for its sender, and only the rest is requested', async (_, picks) => {
    const picked = picks()
    await aPartComes(picked?.handle ?? null)
    await adaReloads()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    ada.offers(new Blob([sent]))
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    if (picked) expect(Buffer.compare(picked.file.bytes, sent)).toBe(0)
    else expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried).toBeGreaterThan(0)
    expect(server.carried).toBeLessThan(AGAIN)
    if (picked) expect(picked.createWritable).toHaveBeenCalledOnce()
  })

  it.each([
    ['in memory', () => null],
    ['at a place that the person picked', () => pickedFile()],
  ])('f19 is received again %s where its sender has another file by then', async (_, picks) => {
    const picked = picks()
    await aPartComes(picked?.handle ?? null)
    await adaReloads()
    const other = sent.map((byte) => byte ^ 1)
    ada.offers(new Blob([other]))
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    if (picked) expect(Buffer.compare(picked.file.bytes, other)).toBe(0)
    else expect(await bob.hasWhole(other)).toBe(true)
  })

  it.each([
    ['comes', () => aPartComes()],
    ['has gone on by itself', () => aPartComes().then(adaReturns)],
    ['has gone on by itself to an earlier place', () => aPartComes(pickedFile().handle).then(adaReturns)],
    ['is paused', () => aPartComes().then(() => bob.pauses())],
    [
      'waits for its turn',
      async () => {
        for (const id of OTHERS) ada.offers(new Blob([sent]), id)
        for (const id of OTHERS) bob.receives(SIZE, ada, id)
        ada.offers(new Blob([sent]))
        asks(null)
      },
    ],
    [
      'is being opened',
      async () => {
        ada.offers(new Blob([sent]))
        asks(null)
      },
    ],
  ])('comes to the place that the person picks while it %s', async (_, begins) => {
    await begins()
    const picked = pickedFile()
    asks(picked.handle)
    await allComes()
    expect(bob.last('receiving')).toMatchObject({ status: 'done', file: null })
    expect(picked.file.isClosed).toBe(true)
    expect(Buffer.compare(picked.file.bytes, sent)).toBe(0)
    expect(ada.last('sending')?.status).toBe('done')
    for (const say of ['receiving', 'sending'] as const) expect(bob.count(say, 'cancelled')).toBe(0)
  })

  it('comes to the place that the person picks while it is still looked for', async () => {
    ada.offers(new Blob([sent]))
    let finds: (found: Found) => void = () => {}
    bob.finds = () => new Promise((resolve) => (finds = resolve))
    asks(null)
    bob.finds = null
    const picked = pickedFile()
    asks(picked.handle)
    await settles()
    finds({ is: 'complete', file: new Blob([sent]) })
    await allComes()
    expect(picked.file.isClosed).toBe(true)
  })

  it.each([
    ['stays where that is picked again', 'a.bin', 0],
    ['goes where another is picked', 'b.bin', 1],
  ])('the empty file at an earlier place %s', async (_, name, removed) => {
    const [earlier, picked] = [pickedFile('a.bin'), pickedFile(name)]
    await aPartComes(earlier.handle)
    asks(picked.handle)
    await allComes()
    expect(picked.file.isClosed).toBe(true)
    expect(earlier.file.aborted).toBe(1)
    expect(earlier.remove).toHaveBeenCalledTimes(removed)
  })

  it('is gone on with where it was when the person asks for it, whatever place that is', async () => {
    const picked = pickedFile()
    await aPartComes(picked.handle)
    await adaReloads()
    server.loses = ({ type }) => type === 'offered'
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await allComes()
    expect(picked.file.isClosed).toBe(true)
    expect(server.carried).toBeLessThan(AGAIN)
  })

  it('is begun anew where the disk was full as the browser moved it into place', async () => {
    const picked = pickedFile()
    picked.close.mockRejectedValueOnce(new DOMException('', 'QuotaExceededError'))
    await aPartComes(picked.handle)
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })
    expect(picked.file.aborted).toBe(1)
    asks(picked.handle)
    await allComes()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(server.carried).toBeGreaterThanOrEqual(2 * SIZE)
  })

  it('is begun anew elsewhere where the disk was full as a later transfer was moved into that place', async () => {
    const picked = pickedFile()
    picked.close.mockRejectedValueOnce(new DOMException('', 'QuotaExceededError'))
    await aPartComes(picked.handle)
    await adaReloads()
    server.loses = ({ type }) => type === 'offered'
    ada.offers(new Blob([sent]))
    asks(null)
    await allComes()
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'diskFull' } })
    expect(picked.file.aborted).toBe(1)
    expect(picked.remove).toHaveBeenCalledOnce()
    asks(null)
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(picked.close).toHaveBeenCalledOnce()
  })

  it('is not held for later where its beam was left before the browser failed to move it into place', async () => {
    const picked = pickedFile()
    let fails: (error: unknown) => void = () => {}
    picked.close.mockReturnValueOnce(new Promise((_, reject) => (fails = reject)))
    await aPartComes(picked.handle)
    bob.pauses()
    bob.resumes()
    await server.carries()
    expect(picked.close).toHaveBeenCalledOnce()
    bob.leaves()
    fails(new DOMException('', 'QuotaExceededError'))
    await settles()
    expect(picked.file.aborted).toBe(1)
  })

  it('f18 stays paused by the person here', async () => {
    await aPartComes()
    bob.pauses()
    await adaReloads()
    bob.engine.handle({ do: 'removed', devices: [ada.id] })
    expect(bob.last('receiving')?.status).toBe('failed')
    bob.sees(ada)
    ada.offers(new Blob([sent]))
    await server.carries()
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'me' })
    expect(server.carried).toBe(0)
    bob.resumes()
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it.each([
    ['the person gives it up', () => bob.cancels()],
    ['its item goes', () => bob.forgets()],
    ['its beam is left', () => bob.leaves()],
  ])('is removed when %s', async (_, end) => {
    const picked = pickedFile()
    await aPartComes(picked.handle)
    await adaReloads()
    expect(picked.file.aborted).toBe(0)
    expect(picked.remove).not.toHaveBeenCalled()
    end()
    await settles()
    expect(picked.file.aborted).toBe(1)
    expect(picked.remove).toHaveBeenCalledOnce()
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await server.carries()
    expect(server.carried).toBeGreaterThanOrEqual(SIZE)
    expect(await bob.hasWhole(sent)).toBe(true)
  })

  it('is in memory no more once its beam was left while it came', async () => {
    await aPartComes()
    bob.leaves()
    await server.carries()
    const before = server.carried
    bob.receives(SIZE, ada)
    await server.carries()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried - before).toBe(SIZE)
  })
})

describe('a file that is whole while a place is picked for it', () => {
  it('is not thrown away, and the empty file at that place is', async () => {
    let place: (whole: Blob) => void = () => {}
    const discard = vi.fn(async () => {})
    bob.sink = () => ({
      isKept: true,
      part: null,
      read: null,
      write: () => {},
      finish: () => new Promise<Blob>((resolve) => (place = resolve)),
      discard,
    })
    ada.offers(new Blob([bytes(MIB)]))
    bob.receives(MIB, ada)
    await settles()
    await server.carries()
    const before = server.carried
    const remove = vi.fn(async () => {})
    const picked = { getFile: async () => new Blob(), remove } as unknown as FileSystemFileHandle
    bob.engine.handle({ do: 'receive', file: incomingFile(MIB, ada), picked })
    await settles()
    place(new Blob())
    await server.carries()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(discard).not.toHaveBeenCalled()
    expect(remove).toHaveBeenCalledOnce()
    expect(server.carried).toBe(before)
  })
})

describe('a file whose sender is removed from the beam', () => {
  const SIZE = 6 * MIB
  const sent = bytes(SIZE)

  it('s25_waits_with_what_is_here_until_that_device_is_let_in_again', async () => {
    ada.offers(new Blob([sent]))
    bob.receives(SIZE, ada)
    await settles()
    while (server.carried < 4 * MIB) {
      server.carriesSome(8)
      await settles(20)
    }
    bob.hasRemoved(ada)
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'sourceRemoved' } })
    await server.carries()
    const before = server.carried
    bob.sees(ada)
    await allComes()
    expect(await bob.hasWhole(sent)).toBe(true)
    expect(server.carried - before).toBeLessThan(3 * MIB)
  })
})
