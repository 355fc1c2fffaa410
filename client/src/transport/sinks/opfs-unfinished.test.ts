import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_BYTES } from '../../protocol/bindings'
import { Table } from '../table'
import { BEAM, DiskStage, file, ITEM, OTHER, type StageFile } from './disk-stage'
import { sweepDisk, UNUSED_MS } from './disk-sweep'
import { Journal } from './journal'
import type { DiskFiles } from './opfs'
import { NoRoom, PartUnopened } from './sink'

let stage: DiskStage

beforeEach(() => {
  stage = new DiskStage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('an unfinished file', () => {
  beforeEach(() => {
    stage.quota = 1_000_000
  })
  const SIZE = 3 * CHUNK_BYTES + 5
  const chunk = (of: number) => new Uint8Array(CHUNK_BYTES).fill(of)
  const stored = () => stage.files('tab').values().next().value
  /** The page in the tab receives the chunks 0 and 2, and ends without a word. */
  const receivesSome = async () => {
    const sink = await stage.disk.open(file(SIZE))
    await sink.write(0, chunk(1))
    await sink.write(2 * CHUNK_BYTES, chunk(3))
    const durable = [
      { first: 0, count: 1 },
      { first: 2, count: 1 },
    ]
    await sink.part?.keep(durable, false)
    return sink
  }
  const ends = () => stage.closes()

  it('is gone on with by its own page although the browser has lost the journal', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    await new Journal().remove(file(SIZE).id)
    expect((await stage.disk.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is found and gone on with by a later page, which needs only the rest', async () => {
    await receivesSome()
    ends()
    await sweepDisk(stage.journal, stage.now)
    const later = stage.diskOf('later')
    expect(await later.find(file(SIZE))).toEqual({ is: 'begun', bytes: 2 * CHUNK_BYTES, isPaused: false })
    const sink = await later.open(file(SIZE))
    expect(sink.part?.before).toEqual([
      { first: 0, count: 1 },
      { first: 2, count: 1 },
    ])
    expect(sink.read?.(2 * CHUNK_BYTES, 2)).toEqual(Uint8Array.of(3, 3))
    await sink.write(CHUNK_BYTES, chunk(2))
    await sink.write(3 * CHUNK_BYTES, new Uint8Array(5).fill(4))
    const whole = new Uint8Array(await ((await sink.finish()) ?? new Blob()).arrayBuffer())
    expect([0, 1, 2, 3].map((at) => whole[at * CHUNK_BYTES])).toEqual([1, 2, 3, 4])
    expect(whole).toHaveLength(SIZE)
    expect(await stage.disk.find(file(SIZE))).toMatchObject({ is: 'complete' })
  })

  it('is left to the tab that receives it', async () => {
    await receivesSome()
    stage.locks.add('received/tab')
    expect(await stage.diskOf('later').find(file(SIZE))).toBeNull()
    const other = await stage.diskOf('later').open(file(SIZE))
    expect(other.part?.before).toEqual([])
  })

  it('belongs to the page that goes on with it', async () => {
    await receivesSome()
    ends()
    await stage.diskOf('later').open(file(SIZE))
    stage.locks.add('received/later')
    expect(await stage.diskOf('third').find(file(SIZE))).toBeNull()
  })

  it('is begun anew when the browser has cleared or cut it off', async () => {
    const cut = () => {
      const one = stored()
      if (one) one.bytes = one.bytes.slice(0, CHUNK_BYTES)
    }
    for (const loses of [cut, () => stage.root.folders.get('received')?.folders.delete('tab')]) {
      await receivesSome()
      ends()
      loses()
      expect((await stage.diskOf('later').open(file(SIZE))).part?.before).toEqual([])
      ends()
      await stage.diskOf('later').forget(ITEM)
    }
  })

  /** The pauses between tries pass while a file is opened. */
  const opens = async (files: DiskFiles) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isOver = false
    const opening = files.open(file(SIZE)).finally(() => {
      isOver = true
    })
    opening.catch(() => {})
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
    vi.useRealTimers()
    return opening
  }
  const busy = new DOMException('open already', 'NoModificationAllowedError')

  it('is waited for while the page that was left still has it open', async () => {
    await receivesSome()
    ends()
    const opening = vi.spyOn(stored() as StageFile, 'createSyncAccessHandle')
    for (let tries = 0; tries < 30; tries++) opening.mockRejectedValueOnce(busy)
    expect((await opens(stage.diskOf('later'))).part?.before).toHaveLength(2)
  })

  it.each([
    ['is open elsewhere', busy],
    ['cannot be opened for a reason of the browser', new DOMException('', 'UnknownError')],
  ])('f6 stays where it is while it %s', async (_, error) => {
    await receivesSome()
    ends()
    const opening = vi.spyOn(stored() as StageFile, 'createSyncAccessHandle').mockRejectedValue(error)
    const later = stage.diskOf('later')
    await expect(opens(later)).rejects.toThrow(PartUnopened)
    expect(await later.find(file(SIZE))).toMatchObject({ is: 'begun', bytes: 2 * CHUNK_BYTES })
    opening.mockRestore()
    expect((await later.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is gone on with also where the browser does not tell how much room there is', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    stage.tellsRoom = false
    expect((await stage.diskOf('later').open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('r4 is gone on with as far as it was received, also where the last of that did not come into the journal', async () => {
    const sink = await receivesSome()
    const refused = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('', 'QuotaExceededError')
    })
    await sink.part?.keep([{ first: 0, count: 3 }], false).catch(() => {})
    expect(refused).toHaveBeenCalled()
    refused.mockRestore()
    await sink.part?.leave()
    expect((await stage.disk.open(file(SIZE))).part?.before).toEqual([{ first: 0, count: 3 }])
  })

  describe('f19 the hashes that were told of it', () => {
    const hash = (of: number) => new Uint8Array(32).fill(of)
    const told = new Map([
      [0, hash(1)],
      [7, hash(8)],
    ])
    const isTold = async () => {
      const sink = await receivesSome()
      sink.part?.hashes?.keep(told)
      return sink
    }
    const known = () => stage.journal.hashes.names()

    it('are there for a later page', async () => {
      await isTold()
      ends()
      await sweepDisk(stage.journal, stage.now)
      expect((await stage.diskOf('later').open(file(SIZE))).part?.hashes?.before).toEqual(told)
    })

    it.each([
      ['it is complete', async () => void (await (await isTold()).finish())],
      ['it is given up', async () => (await isTold()).discard()],
      [
        'it is forgotten by a later page',
        async () => {
          await isTold()
          ends()
          await stage.diskOf('later').forget(ITEM)
        },
      ],
      [
        'it is swept',
        async () => {
          await isTold()
          stage.now = UNUSED_MS + 1
          await sweepDisk(stage.journal, stage.now)
        },
      ],
    ])('go when %s', async (_, ended) => {
      await ended()
      await vi.waitFor(async () => expect(await known()).toEqual([]))
    })

    it('keep nothing on the disk where the browser refuses to remove them', async () => {
      const sink = await isTold()
      const refused = vi
        .spyOn(Table.prototype, 'remove')
        .mockRejectedValue(new DOMException('', 'UnknownError'))
      await sink.discard()
      expect(refused).toHaveBeenCalled()
      expect(stage.kept()).toEqual([])
      refused.mockRestore()
    })
  })

  it('is in the list of what waits, until it is complete or removed', async () => {
    const sink = await receivesSome()
    const listed = {
      id: ITEM,
      name: 'a.txt',
      beam: BEAM,
      size: SIZE,
      bytes: 2 * CHUNK_BYTES,
      usedAt: stage.now,
      isElsewhere: false,
    }
    expect(await stage.disk.unfinished()).toEqual([listed])
    stage.locks.add('received/tab')
    expect(await stage.diskOf('later').unfinished()).toEqual([{ ...listed, isElsewhere: true }])
    stage.locks.delete('received/tab')
    expect(await stage.diskOf('later').unfinished()).toEqual([listed])
    await sink.finish()
    expect(await stage.disk.unfinished()).toEqual([])
    await stage.disk.forget(ITEM)
    await receivesSome()
    await stage.disk.forget(ITEM)
    expect(await stage.disk.unfinished()).toEqual([])
  })

  it('is not swept while a page shows it, also when it waits', async () => {
    const sink = await receivesSome()
    await sink.part?.keep([{ first: 0, count: 1 }], true)
    await sink.part?.leave()
    for (let day = 0; day < 10; day += 1) {
      stage.now += 25 * 60 * 60 * 1000
      expect(await stage.diskOf('later').find(file(SIZE))).toMatchObject({ is: 'begun', isPaused: true })
      await sweepDisk(stage.journal, stage.now)
    }
  })

  it('says to a later page that the person has paused it', async () => {
    const sink = await receivesSome()
    await sink.part?.keep([{ first: 0, count: 1 }], true)
    await sink.part?.leave()
    expect(await stage.diskOf('later').find(file(SIZE))).toEqual({
      is: 'begun',
      bytes: CHUNK_BYTES,
      isPaused: true,
    })
    const again = await stage.disk.open(file(SIZE))
    expect(await stage.disk.find(file(SIZE))).toMatchObject({ isPaused: false })
    await again.discard()
  })

  it('f18 is paused and gone on with also while it is not open, by who may go on with it', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    const later = stage.diskOf('later')
    const isPaused = async () => {
      const found = await stage.disk.find(file(SIZE))
      return found?.is === 'begun' && found.isPaused
    }
    await later.turn(ITEM, true)
    expect(await isPaused()).toBe(true)
    await stage.disk.turn(ITEM, false)
    expect(await isPaused()).toBe(false)
    // The chunks that are there stay entered.
    expect(await later.find(file(SIZE))).toMatchObject({ bytes: 2 * CHUNK_BYTES })
    stage.locks.add('received/tab')
    await later.turn(ITEM, true)
    expect(await isPaused()).toBe(false)
  })

  it('is not paused any more once it is complete or gone', async () => {
    const sink = await receivesSome()
    await sink.write(3 * CHUNK_BYTES, new Uint8Array(5))
    await sink.finish()
    await stage.disk.turn(ITEM, true)
    expect(await stage.disk.find(file(SIZE))).toMatchObject({ is: 'complete' })
    await stage.disk.forget(ITEM)
    await stage.disk.turn(ITEM, true)
    expect(await stage.journal.all()).toEqual([])
  })

  it('is gone when it is discarded, and an entry that was under way does not bring it back', async () => {
    const sink = await receivesSome()
    const entered = sink.part?.keep([{ first: 0, count: 1 }], false)
    await sink.discard()
    await entered
    expect(stage.kept()).toEqual([])
    expect(await stage.disk.find(file(SIZE))).toBeNull()
    expect(await stage.journal.all()).toEqual([])
  })

  it('is left as it was kept last, and needs no more room than its rest', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    stage.quota = SIZE
    const later = stage.diskOf('later')
    const rest = await later.open(file(SIZE))
    expect(rest.part?.before).toHaveLength(2)
    await rest.write(CHUNK_BYTES, chunk(2))
    await expect(later.open(file(1, OTHER))).rejects.toThrow(NoRoom)
  })

  it('f6_waits_where_it_is_when_there_is_no_room_for_its_rest, and is gone on with once there is', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    stage.quota = stage.usage
    const later = stage.diskOf('later')
    await expect(later.open(file(SIZE))).rejects.toMatchObject({ why: { reason: 'diskFull' } })
    expect(await later.find(file(SIZE))).toMatchObject({ is: 'begun', bytes: 2 * CHUNK_BYTES })
    // The hole between its chunks is counted already.
    stage.quota = SIZE
    expect((await later.open(file(SIZE))).part?.before).toHaveLength(2)
  })

  it('is no reason to wait for room when the browser has cleared it', async () => {
    const sink = await receivesSome()
    await sink.part?.leave()
    stage.root.folders.get('received')?.folders.delete('tab')
    stage.usage = stage.quota
    await expect(stage.diskOf('later').open(file(SIZE))).rejects.toMatchObject({
      why: { reason: 'noRoomHere' },
    })
  })

  it('r4_gives_back_some_of_what_has_filled_the_disk, and goes on from there once there is room', async () => {
    const [chunks, size] = [1_024, 2_048 * CHUNK_BYTES]
    stage.quota = size
    const sink = await stage.disk.open(file(size))
    await sink.write(0, new Uint8Array(chunks * CHUNK_BYTES))
    stage.room = stage.usage
    expect(() => sink.write(chunks * CHUNK_BYTES, chunk(1))).toThrow(NoRoom)
    const left = chunks * CHUNK_BYTES - 8 * 1024 * 1024
    expect(stage.usage).toBe(left)
    await sink.part?.keep([{ first: 0, count: chunks }], false)
    await sink.part?.leave()
    stage.room = Number.POSITIVE_INFINITY
    expect(await stage.disk.find(file(size))).toMatchObject({ is: 'begun', bytes: left })
    const { before } = (await stage.disk.open(file(size))).part ?? {}
    expect(before).toEqual([{ first: 0, count: left / CHUNK_BYTES }])
  })

  it('is removed when nobody has gone on with it for a week', async () => {
    await receivesSome()
    ends()
    stage.now = UNUSED_MS + 1
    await sweepDisk(stage.journal, stage.now)
    expect(await stage.diskOf('later').find(file(SIZE))).toBeNull()
    expect(stage.kept()).toEqual([])
  })
})
