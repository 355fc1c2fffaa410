import { expect, it, vi } from 'vitest'
import { GLANCE_WITHIN_MS } from '../transport/within'
import { changedIn, packedFrom } from './changed-files'
import { packFolder } from './packing'

const files = Array.from({ length: 100 }, (_, at) => ({
  path: `P/${at}`,
  file: new File([`text ${at}`], `${at}`),
}))

it('names the first file of a folder that was changed since it was packed', async () => {
  const [pack] = await packFolder({ name: 'P', files, folders: [] })
  if (!pack) throw new Error('no pack')
  expect([packedFrom(pack.file)?.parts.length, await changedIn(pack.file)]).toEqual([100, null])
  // As Chromium says of a file that has another time than before, and Firefox of one that became shorter.
  const gone = { arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) }
  vi.spyOn(files[70]?.file ?? new File([], ''), 'slice').mockReturnValue(gone as unknown as Blob)
  expect(await changedIn(pack.file)).toBe('P/70')
  vi.spyOn(files[3]?.file ?? new File([], ''), 'slice').mockReturnValue(new Blob())
  expect(await changedIn(pack.file)).toBe('P/3')
})

it('knows nothing of other files', async () => {
  expect([packedFrom(new Blob()), await changedIn(new Blob())]).toEqual([undefined, null])
})

it('names a file of which nothing comes as one that cannot be read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const file = new File(['text'], 'b')
  const [pack] = await packFolder({ name: 'P', files: [{ path: 'P/b', file }], folders: [] })
  if (!pack) throw new Error('no pack')
  const silent = { arrayBuffer: () => new Promise(() => {}) }
  vi.spyOn(file, 'slice').mockReturnValue(silent as unknown as Blob)
  const changed = changedIn(pack.file)
  vi.advanceTimersByTime(GLANCE_WITHIN_MS)
  expect(await changed).toBe('P/b')
  vi.useRealTimers()
})
