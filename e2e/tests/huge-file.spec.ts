/** A file that is larger than what any page may hold, and larger than many a disk. */
import { expect } from '@playwright/test'
import { browserProcess, treeBytes, watchPeak } from '../bench/process-memory.ts'
import { LARGE_FILE_MS } from '../support/device.ts'
import { bytesOnDisk, MB } from '../support/files.ts'
import { test } from '../support/stage.ts'

const SIZE = 20_000 * MB
/** What a browser, or the server, may take beyond what it takes while nothing moves. */
const FLAT = 150 * MB
/** What a profile may take more after a transfer than before it: logs and caches of the browser. */
const CRUMBS = 30 * MB
/** Percent of the file at the end of each part of the test: half a gigabyte each. */
const [FIRST, SECOND, THIRD] = [2.5, 5, 7.5] as const

test('20 GB are received, paused, resumed, gone on with after a reload and cancelled, in flat memory, and the disk is given back', {
  tag: '@long',
}, async ({ device, folder, server }) => {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  const film = await folder.sparse('film.bin', SIZE)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await expect(bob.file(film).getByRole('button', { name: 'Receive' })).toBeVisible()
  const watched = await Promise.all([
    watch('the sender', await browserProcess(ada.profile)),
    watch('the receiver', await browserProcess(bob.profile)),
    watch('the server', server.pid),
  ])
  const before = await bytesOnDisk(bob.profile)

  await bob.takes(film)
  await bob.reaches(film, FIRST)
  await bob.pauses(film)
  await bob.reads(film, 'Paused')
  await bob.resumes(film)
  await bob.reaches(film, SECOND)
  await bob.page.reload()
  await bob.reaches(film, THIRD)
  expect(await bytesOnDisk(bob.profile)).toBeGreaterThan(before + (THIRD / 100) * SIZE - CRUMBS)

  await bob.cancels(film)
  await bob.reads(film, 'Cancelled')
  await expect.poll(() => bytesOnDisk(bob.profile), { timeout: LARGE_FILE_MS }).toBeLessThan(before + CRUMBS)
  const grown = await Promise.all(watched.map(({ growth }) => growth()))
  expect(Math.max(...grown.map(({ bytes }) => bytes)), JSON.stringify(grown)).toBeLessThanOrEqual(FLAT)
})

/** Waits until a tree of processes rests, and from then on watches how much more it takes. */
async function watch(who: string, pid: number) {
  const idle = await restingBytes(pid)
  const peak = watchPeak(pid)
  return { growth: async () => ({ who, bytes: (await peak.stop()) - idle }) }
}

async function restingBytes(pid: number): Promise<number> {
  let before = Number.NaN
  await expect
    .poll(
      async () => {
        const now = await treeBytes(pid)
        const isSame = Math.abs(now - before) < MB
        before = now
        return isSame
      },
      { intervals: [1_000], timeout: LARGE_FILE_MS },
    )
    .toBe(true)
  return before
}
