/** H40, H41: large files pass through the server to a folder and to a real S3 server while its memory stays flat. */
import { expect, test } from '@playwright/test'
import { treeBytes, watchPeak } from '../bench/process-memory.ts'
import { Bucket } from '../support/bucket.ts'
import { MB } from '../support/files.ts'
import { Server } from '../support/server.ts'
import { sha256Of, store } from '../support/stored.ts'

const MIB = 1024 * 1024
/** Memory that a transfer may use in addition to that of the idle server. */
const FLAT = 32 * MIB
const ROOM = { HELIOGRAPH_GUEST_FILE: '2GiB', HELIOGRAPH_GUEST_TOTAL: '4GiB' }

async function comesBack(size: number, settings: Record<string, string>): Promise<void> {
  const server = await Server.start({ ...ROOM, ...settings })
  try {
    // Connections, pools and code that only the first transfer loads are not measured.
    await sha256Of((await store(server.origin, 8 * MB)).url)
    const idle = await treeBytes(server.pid)
    const memory = watchPeak(server.pid)
    const stored = await store(server.origin, size)
    expect(await sha256Of(stored.url)).toBe(stored.sha256)
    expect(await memory.stop()).toBeLessThan(idle + FLAT)
  } finally {
    await server.stop()
  }
}

for (const { size, tag } of [
  { size: 64 * MB, tag: [] },
  { size: 1000 * MB, tag: ['@long'] },
]) {
  test(`${size / MB} MB go to a folder and back in flat memory`, { tag }, async () => {
    await comesBack(size, {})
  })

  test(`${size / MB} MB go to a bucket and back in flat memory`, { tag }, async () => {
    const bucket = await Bucket.start()
    try {
      await comesBack(size, bucket.settings)
    } finally {
      await bucket.stop()
    }
  })
}
