import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AUTO_RECEIVE_BYTES, type BeamId, type ItemId } from '../../protocol/bindings'
import { PIECE_BYTES } from '../../protocol/pieces'
import { Unanswered } from '../table'
import { MemoryFiles } from './memory'
import { ReceivedFiles } from './received-files'
import { type FileStore, NoRoom, PartUnopened } from './sink'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const file = (size: number, id: string = ITEM) => ({
  id: id as ItemId,
  size,
  type: '',
  name: 'a.txt',
  beam: 'a beam' as BeamId,
})

let told: number
const onFallback = () => {
  told += 1
}
beforeEach(() => {
  told = 0
})

const refusing = (error: unknown): FileStore => ({
  open: async () => {
    throw error
  },
  find: async () => null,
  turn: async () => {},
  unfinished: async () => [],
  leave: async () => {},
  forget: vi.fn(async () => {}),
})

describe('a received file', () => {
  it.each(['SecurityError', 'UnknownError', 'InvalidStateError', 'NoModificationAllowedError'])(
    'stays in memory when the disk answers with %s, and that is said once',
    async (name) => {
      const files = new ReceivedFiles(refusing(new DOMException('x', name)), new MemoryFiles(), onFallback)
      const sink = await files.open(file(3), null)
      await sink.write(0, Uint8Array.of(1, 2, 3))
      expect((await sink.finish())?.size).toBe(3)
      await files.open(file(3, 'other'), null)
      expect(told).toBe(1)
    },
  )

  it('is refused with the error of the disk when neither has room, else with that of memory', async () => {
    const noRoom = new NoRoom({ reason: 'noRoomHere' })
    const full = new ReceivedFiles(refusing(noRoom), new MemoryFiles(1), onFallback)
    await expect(full.open(file(2), null)).rejects.toBe(noRoom)
    const broken = new ReceivedFiles(refusing(new Error('ENOENT')), new MemoryFiles(1), onFallback)
    await expect(broken.open(file(2), null)).rejects.toMatchObject({
      why: { reason: 'tooLarge', mostBytes: 1 },
    })
    expect(told).toBe(0)
  })

  it.each([
    ['the disk has no room for the rest of it', new NoRoom({ reason: 'diskFull' })],
    ['the part of it on the disk cannot be opened now', new PartUnopened(new Error())],
    ['the browser does not say whether there is a part of it', new Unanswered()],
  ])('f6 is not begun anew in memory when %s', async (_, error) => {
    const disk = refusing(error)
    const files = new ReceivedFiles(disk, new MemoryFiles(), onFallback)
    await expect(files.open(file(AUTO_RECEIVE_BYTES + 1), null)).rejects.toBe(error)
    expect(disk.forget).not.toHaveBeenCalled()
    expect(told).toBe(0)
  })

  it('comes in memory where the browser never says what is on the disk, and it is small', async () => {
    const files = new ReceivedFiles(refusing(new Unanswered()), new MemoryFiles(), onFallback)
    const sink = await files.open(file(3), null)
    await sink.write(0, Uint8Array.of(1, 2, 3))
    expect((await sink.finish())?.size).toBe(3)
    expect(told).toBe(1)
  })

  it('is removed from disk and memory with its item', async () => {
    const disk = refusing(new Error())
    const memory = new MemoryFiles(10)
    const files = new ReceivedFiles(disk, memory, onFallback)
    await (await files.open(file(10), null)).finish()
    await files.forget(ITEM)
    expect(disk.forget).toHaveBeenCalledWith(ITEM)
    expect(await memory.open(file(10))).toBeDefined()
  })

  it('replaces what was received of its item before', async () => {
    const files = new ReceivedFiles(null, new MemoryFiles(10), onFallback)
    await (await files.open(file(10), null)).finish()
    expect(await files.open(file(10), null)).toBeDefined()
  })

  it('that is in memory does not outlive the page, and goes when the beam is left', async () => {
    const memory = new MemoryFiles(10)
    const files = new ReceivedFiles(null, memory, onFallback)
    const sink = await files.open(file(10), null)
    await sink.finish()
    expect(sink.isKept).toBe(false)
    expect(files.find(file(10), null)).toBeNull()
    await files.leave(ITEM)
    expect(await memory.open(file(10))).toBeDefined()
  })

  it('that is on the disk stays there when the beam is left', async () => {
    const disk = refusing(new Error())
    await new ReceivedFiles(disk, new MemoryFiles(), onFallback).leave(ITEM)
    expect(disk.forget).not.toHaveBeenCalled()
  })

  it('lets go of the picked file when it cannot be given its size', async () => {
    const abort = vi.fn(async () => {})
    const truncate = async () => {
      throw new DOMException('', 'QuotaExceededError')
    }
    const picked = { createWritable: async () => ({ truncate, abort }) } as unknown as FileSystemFileHandle
    const files = new ReceivedFiles(null, new MemoryFiles(), onFallback)
    await expect(files.open(file(3), picked)).rejects.toThrow(DOMException)
    expect(abort).toHaveBeenCalled()
  })

  it('that was begun on the disk goes from there when the person picks another place', async () => {
    const picked = { createWritable: async () => ({ truncate: async () => {} }) }
    for (const found of [
      { is: 'begun', bytes: 1, isPaused: false },
      { is: 'complete', file: new Blob() },
    ] as const) {
      const disk = { ...refusing(new Error()), find: async () => found }
      const files = new ReceivedFiles(disk, new MemoryFiles(), onFallback)
      await files.open(file(3), picked as unknown as FileSystemFileHandle)
      expect(disk.forget).toHaveBeenCalledTimes(found.is === 'begun' ? 1 : 0)
    }
  })

  it('waits in the sink of a place that the person picked, unless that place took nothing more', async () => {
    const write = vi.fn(async () => {})
    const abort = vi.fn(async () => {})
    const createWritable = vi.fn(async () => ({ truncate: async () => {}, write, abort }))
    const picked = { createWritable } as unknown as FileSystemFileHandle
    const files = new ReceivedFiles(null, new MemoryFiles(), onFallback)
    const size = 2 * PIECE_BYTES
    const interrupted = async () => {
      const sink = await files.open(file(size), picked)
      await Promise.resolve(sink.write(0, new Uint8Array(1))).catch(() => {})
      // One whole piece, and a part of the next, which cannot be hashed without what is there.
      await sink.part?.keep([{ first: 0, count: 65 }], false)
      await sink.part?.leave()
    }
    await interrupted()
    const other = {} as FileSystemFileHandle
    expect(files.find(file(size), other)).toBeNull()
    expect(await files.find(file(size), null)).toEqual({ is: 'begun', bytes: PIECE_BYTES, isPaused: false })
    expect((await files.open(file(size), picked)).part?.before).toEqual([{ first: 0, count: 64 }])
    expect(createWritable).toHaveBeenCalledOnce()
    expect(abort).not.toHaveBeenCalled()

    write.mockRejectedValueOnce(new DOMException('', 'QuotaExceededError'))
    await interrupted()
    expect(abort).toHaveBeenCalledOnce()
    expect(files.find(file(size), picked)).toBeNull()
  })

  it('is written only where the person picked', async () => {
    const write = vi.fn(async () => {})
    const createWritable = async () => ({ truncate: async () => {}, write, close: async () => {} })
    const picked = { createWritable } as unknown as FileSystemFileHandle
    const files = new ReceivedFiles(refusing(new Error()), new MemoryFiles(0), onFallback)
    const sink = await files.open(file(3), picked)
    await sink.write(1, Uint8Array.of(7))
    expect(write).toHaveBeenCalledWith({ type: 'write', position: 1, data: Uint8Array.of(7) })
    expect(await sink.finish()).toBeNull()
    await expect(sink.discard()).resolves.toBeUndefined()
  })
})

describe('memory', () => {
  it('has one budget for all files, and a helpful error when it is used up', async () => {
    const memory = new MemoryFiles(100)
    const first = await memory.open(file(60, 'a'))
    await expect(memory.open(file(60, 'b'))).rejects.toMatchObject({
      why: { reason: 'memoryFull', mostBytes: 100 },
    })
    await first.finish()
    await expect(memory.open(file(60, 'b'))).rejects.toThrow(NoRoom)
    await first.discard()
    await first.discard()
    await memory.open(file(60, 'b'))
    await expect(memory.open(file(60, 'c'))).rejects.toThrow(NoRoom)
  })

  it('is freed with the files of an item', async () => {
    const memory = new MemoryFiles(100)
    await memory.open(file(50, 'a'))
    await (await memory.open(file(50, 'a'))).finish()
    await memory.forget('a' as ItemId)
    expect(await memory.open(file(100, 'b'))).toBeDefined()
  })
})
