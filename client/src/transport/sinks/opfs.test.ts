import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tabFolder } from './disk-folders'
import { DiskStage, file, ITEM, OTHER, type StageFile, type StageFolder, text } from './disk-stage'
import { sweepDisk, UNUSED_MS } from './disk-sweep'
import { Journal } from './journal'
import { DiskFiles } from './opfs'
import { NoRoom } from './sink'

let stage: DiskStage

beforeEach(() => {
  stage = new DiskStage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a file on the disk', () => {
  it('is written in any order and carries its type', async () => {
    const sink = await stage.disk.open(file(6))
    await sink.write(3, text('def'))
    await sink.write(0, text('abc'))
    const whole = await sink.finish()
    expect(await whole?.text()).toBe('abcdef')
    expect(whole?.type).toBe('text/plain')
  })

  it('is removed with its item, complete or not, and no other is', async () => {
    await (await stage.disk.open(file(1))).finish()
    const other = await stage.disk.open(file(1, OTHER))
    await other.finish()
    await stage.disk.forget(ITEM)
    expect(stage.kept()).toEqual([`${OTHER} 2`])
  })

  it('leaves nothing behind when it is discarded', async () => {
    const sink = await stage.disk.open(file(3))
    await sink.write(0, text('abc'))
    await sink.discard()
    expect(stage.kept()).toEqual([])
  })

  it('can be begun again while the one before is still open', async () => {
    const before = await stage.disk.open(file(3))
    const after = await stage.disk.open(file(3))
    await after.write(0, text('new'))
    await stage.disk.forget(ITEM).catch(() => {})
    await before.discard()
    expect(await (await after.finish())?.text()).toBe('new')
  })

  it('takes the place of a complete one that is received again', async () => {
    await (await stage.disk.open(file(1))).finish()
    const again = await stage.disk.open(file(1))
    expect(again.part?.before).toEqual([])
    expect(stage.kept()).toEqual([`${ITEM} 2`])
  })

  it('is refused with a message when there is too little space', async () => {
    await expect(stage.disk.open(file(1_001))).rejects.toThrow(NoRoom)
  })

  it('is not refused where Chromium tells of 10 GiB, as it does however much there is', async () => {
    stage.usage = 5_000
    stage.quota = stage.usage + 10 * 1024 ** 3
    await expect(stage.disk.open(file(20_000_000_000))).rejects.toThrow(NoRoom)
    stage.details = { usageDetails: {} }
    expect(await stage.disk.open(file(20_000_000_000))).toBeDefined()
    // A disk that is smaller than that is told.
    stage.quota = stage.usage + 9 * 1024 ** 3
    await expect(stage.disk.open(file(20_000_000_000, OTHER))).rejects.toThrow(NoRoom)
  })

  it('counts the space promised to other files', async () => {
    const first = await stage.disk.open(file(600))
    await expect(stage.disk.open(file(500))).rejects.toThrow(NoRoom)
    await first.write(0, new Uint8Array(600))
    await expect(stage.disk.open(file(500))).rejects.toThrow(NoRoom)
    expect(await stage.disk.open(file(400))).toBeDefined()
    await first.discard()
    expect(await stage.disk.open(file(600))).toBeDefined()
  })

  it('takes the space that it was promised as its length grows, and none for what fills it', async () => {
    const first = await stage.disk.open(file(600))
    await first.write(599, new Uint8Array(1))
    const other = await stage.disk.open(file(300, OTHER))
    await first.write(0, new Uint8Array(599))
    await other.write(0, new Uint8Array(200))
    await other.write(0, new Uint8Array(200))
    await expect(stage.disk.open(file(101))).rejects.toThrow(NoRoom)
    expect(await stage.disk.open(file(100))).toBeDefined()
  })

  it('releases its promised space when it cannot be opened', async () => {
    const folder = vi.fn(() => tabFolder('tab')).mockRejectedValueOnce(new DOMException('', 'UnknownError'))
    const broken = stage.diskOf('tab', folder)
    await expect(broken.open(file(900))).rejects.toThrow(DOMException)
    expect(await broken.open(file(900))).toBeDefined()
  })
})

describe('sweeping', () => {
  it('removes the files of closed tabs, and none of open ones', async () => {
    await tabFolder('gone')
    await tabFolder('alive')
    stage.locks.add('received/alive')
    await tabFolder('mine')
    stage.locks.add('received/mine')
    await sweepDisk(stage.journal, stage.now)
    expect([...(stage.root.folders.get('received')?.folders.keys() ?? [])]).toEqual(['alive', 'mine'])
  })

  it('leaves the folder of a tab that starts meanwhile', async () => {
    await tabFolder('gone')
    await tabFolder('starts')
    const folder = stage.root.folders.get('received') as StageFolder
    const removeEntry = folder.removeEntry.bind(folder)
    vi.spyOn(folder, 'removeEntry').mockImplementation(async (name) => {
      stage.locks.add('received/starts')
      await removeEntry(name)
    })
    await sweepDisk(stage.journal, stage.now)
    expect([...folder.folders.keys()]).toEqual(['starts'])
  })
})

describe('a complete file', () => {
  const receives = async (tab: string, content = 'abc', id = ITEM) => {
    const sink = await stage.diskOf(tab).open(file(content.length, id))
    await sink.write(0, text(content))
    await sink.finish()
    return sink
  }
  /** What a later page finds. */
  const finds = async (size = 3, id = ITEM) => {
    const found = await stage.diskOf('later').find(file(size, id))
    return found?.is === 'complete' ? await found.file.text() : null
  }
  /** A new page starts, while the tabs of the others are closed. */
  const starts = () => sweepDisk(stage.journal, stage.now)

  it('is found by a later page, with its type', async () => {
    expect((await receives('tab')).isKept).toBe(true)
    await starts()
    expect(await finds()).toBe('abc')
    expect(await stage.disk.find(file(3))).toMatchObject({ is: 'complete', file: { type: 'text/plain' } })
  })

  it('is not one that was not finished, nor one of another size', async () => {
    const sink = await stage.disk.open(file(3))
    await sink.write(0, text('abc'))
    expect(await finds()).toBeNull()
    await sink.finish()
    expect(await finds(4)).toBeNull()
    expect(await finds(3, OTHER)).toBeNull()
  })

  it('is not one that the browser has cleared or cut off', async () => {
    await receives('tab')
    const stored = stage.files('tab').get(`${ITEM} 1`) as StageFile
    stored.bytes = stored.bytes.slice(0, 2)
    expect(await finds()).toBeNull()
    stage.root.folders.get('received')?.folders.delete('tab')
    expect(await finds()).toBeNull()
  })

  it('does not outlive the page when the journal cannot be written, and the sink says so', async () => {
    const enter = vi.spyOn(stage.journal, 'enter').mockRejectedValueOnce(new DOMException('', 'UnknownError'))
    expect((await receives('tab')).isKept).toBe(false)
    enter.mockRestore()
    expect(await finds()).toBeNull()
  })

  it('is removed with its item by any page', async () => {
    await receives('tab')
    await stage.diskOf('later').forget(ITEM)
    expect(stage.kept()).toEqual([])
    expect(await finds()).toBeNull()
  })

  it('stays while the tab that received it is open, which removes it itself', async () => {
    await receives('tab')
    stage.locks.add('received/tab')
    await stage.diskOf('later').forget(ITEM)
    expect(await finds()).toBe('abc')
    await stage.disk.forget(ITEM)
    expect(stage.kept()).toEqual([])
    expect(await finds()).toBeNull()
  })

  it('takes no other along when it is swept: unfinished ones go, complete ones stay', async () => {
    await receives('tab')
    await (await stage.disk.open(file(3, OTHER))).write(0, text('abc'))
    stage.closes('tab')
    await starts()
    expect(stage.kept()).toEqual([`${ITEM} 1`])
  })

  it('is removed when no page has shown it for a week', async () => {
    await receives('tab')
    stage.now = UNUSED_MS
    await starts()
    expect(await finds()).toBe('abc')
    stage.now += UNUSED_MS
    await starts()
    expect(await finds()).toBe('abc')
    stage.now += UNUSED_MS + 1
    await starts()
    expect(await finds()).toBeNull()
    expect(stage.kept()).toEqual([])
  })
})

describe('a file that two tabs receive at the same time', () => {
  const later = () =>
    new DiskFiles({ ...stage.tabOf('later'), makeName: () => 'of another tab' }, new Journal())
  /** Both tabs are open, and both have begun. */
  const begin = async () => {
    for (const tab of ['tab', 'later']) stage.locks.add(`received/${tab}`)
    const sinks = [await stage.disk.open(file(6)), await later().open(file(6))] as const
    for (const sink of sinks) await sink.write(0, text('abcdef'))
    return sinks
  }
  /** What a page finds once both tabs are closed. */
  const finds = async () => {
    stage.locks.clear()
    stage.closes()
    await sweepDisk(stage.journal, stage.now)
    const found = await new DiskFiles(stage.tabOf('third'), new Journal()).find(file(6))
    return found?.is === 'complete' ? await found.file.text() : (found?.is ?? null)
  }
  const SOME = [{ first: 0, count: 1 }]

  it('stays complete in the one when the other gives it up', async () => {
    const [first, second] = await begin()
    await first.finish()
    await second.part?.keep([], false)
    await second.discard()
    expect(await finds()).toBe('abcdef')
  })

  it('is found whole when the other has a part and ends without a word', async () => {
    const [first, second] = await begin()
    await second.part?.keep(SOME, false)
    await first.finish()
    await second.part?.keep(SOME, false)
    expect(await finds()).toBe('abcdef')
  })

  it('is found as the larger of two parts', async () => {
    const [first, second] = await begin()
    await first.part?.keep(SOME, true)
    await second.part?.keep([], false)
    await second.discard()
    expect(await finds()).toBe('begun')
  })

  it('is that of the other once the one has given up', async () => {
    const [first, second] = await begin()
    await first.part?.keep(SOME, false)
    await second.part?.keep([], false)
    await first.discard()
    await second.part?.keep(SOME, false)
    expect(await finds()).toBe('begun')
    await second.discard()
    expect(await finds()).toBeNull()
  })
})

describe('a page that is open for longer than a week', () => {
  /** A page in 'tab' has received a file, complete or not, and stays open. */
  const stays = async (isComplete: boolean) => {
    const sink = await stage.disk.open(file(3))
    await sink.write(0, text('abc'))
    if (isComplete) await sink.finish()
    else await sink.part?.keep([{ first: 0, count: 1 }], true)
    stage.locks.add('received/tab')
  }
  const isReloaded = async () => {
    stage.locks.delete('received/tab')
    stage.closes('tab')
    await sweepDisk(stage.journal, stage.now)
    return (await stage.diskOf('later').find(file(3)))?.is ?? null
  }

  it.each([true, false])(
    'keeps what it shows when another page sweeps (complete: %s)',
    async (isComplete) => {
      await stays(isComplete)
      stage.now = UNUSED_MS + 1
      await sweepDisk(stage.journal, stage.now)
      expect(await isReloaded()).toBe(isComplete ? 'complete' : 'begun')
    },
  )

  it.each([true, false])('keeps what it shows when it is reloaded (complete: %s)', async (isComplete) => {
    await stays(isComplete)
    stage.now = UNUSED_MS
    await stage.disk.stillShows()
    stage.now += UNUSED_MS
    expect(await isReloaded()).toBe(isComplete ? 'complete' : 'begun')
  })

  it('keeps a complete file that an earlier one has received', async () => {
    await stays(true)
    stage.locks.delete('received/tab')
    stage.now = UNUSED_MS
    await stage.diskOf('later').find(file(3))
    stage.locks.add('received/later')
    stage.now += UNUSED_MS + 1
    await sweepDisk(stage.journal, stage.now)
    expect((await stage.diskOf('third').find(file(3)))?.is).toBe('complete')
  })

  it('keeps no file of a beam that it has left', async () => {
    await stays(true)
    await stage.disk.leave(ITEM)
    stage.now = UNUSED_MS + 1
    await stage.disk.stillShows()
    expect(await isReloaded()).toBeNull()
  })
})
