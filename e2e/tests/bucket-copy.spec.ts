/** H48: what came in pieces is copied to a real S3 server, and the copy goes on at the part where a kill broke it off. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { Bucket } from '../support/bucket.ts'
import { MB } from '../support/files.ts'
import { RawClient } from '../support/raw-client.ts'
import { Server } from '../support/server.ts'
import { sha256Of } from '../support/stored.ts'
import { Wire } from '../support/wire.ts'

const SIZE = 60 * MB
/** Two parts of 5 MiB are on their way at a time, and what is on its way at a kill is sent again. */
const UNDER_WAY = 12 * MB
const VERSION = { 'tus-resumable': '1.0.0' }

test.setTimeout(180_000)

/** Keeps a beam, and returns its id. */
async function keptBeam(origin: string): Promise<string> {
  const beam = randomUUID()
  const ada = await RawClient.joins(`${origin}/?beam_id=${beam}`)
  ada.send({ type: 'share_clipboard', message: 'hi', extra: 'text' })
  await ada.next('rec_clipboard')
  ada.send({ type: 'keep', message: '1h' })
  await ada.next('kept')
  ada.leaves()
  return beam
}

/** Sends a file in one piece. Returns the address of its upload. */
async function sends(origin: string, bytes: Buffer): Promise<string> {
  const begins = { ...VERSION, 'upload-length': `${bytes.length}` }
  const path = `/api/beams/${await keptBeam(origin)}/tus/`
  const begun = await fetch(origin + path, { method: 'POST', headers: begins })
  const url = origin + begun.headers.get('location')
  const headers = { ...VERSION, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const sent = await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(bytes) })
  expect(sent.status).toBe(204)
  return url
}

/** Waits for the stored file, and returns its address. */
async function stored(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(url)
    if (answer.status === 200) return new URL((await answer.json()).url, url).href
    // The server says when to ask again.
    expect([202, 502]).toContain(answer.status)
    await pause(500)
  }
}

test('h48_a_copy_to_a_bucket_goes_on_at_the_part_where_a_kill_broke_it_off', async () => {
  const bucket = await Bucket.start()
  const wire = await Wire.to(new URL(bucket.url).origin)
  const server = await Server.start(bucket.settingsBy(wire.origin))
  try {
    const bytes = randomBytes(SIZE)
    wire.slowsTo(10 * MB)
    const url = await sends(server.origin, bytes)
    await expect.poll(() => wire.carried, { timeout: 60_000 }).toBeGreaterThan(30 * MB)
    await server.dies()
    const before = wire.carried
    wire.slowsTo(Number.POSITIVE_INFINITY)
    await server.up()

    const file = await stored(url)

    // Before anybody reads it, which the wire carries too.
    expect(wire.carried).toBeLessThan(SIZE + UNDER_WAY)
    expect(before).toBeLessThan(SIZE)
    expect(await sha256Of(file)).toBe(createHash('sha256').update(bytes).digest('hex'))
  } finally {
    await server.stop()
    await wire.close()
    await bucket.stop()
  }
})
