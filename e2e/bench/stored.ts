/**
 * A file of 1 GB uploaded to the server's store and downloaded to a disk, compared with a plain client that moves the
 * same bytes to and from that disk or S3 server. Times include syncing to the disk.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Bucket } from '../support/bucket.ts'
import { MB } from '../support/files.ts'
import { RawClient } from '../support/raw-client.ts'
import { Server } from '../support/server.ts'
import { BareServer } from './bare-server.ts'
import { copy, download, exchange, ontoDisk, send } from './plain-http.ts'
import { treeBytes, watchPeak } from './process-memory.ts'
import { median, type Row } from './table.ts'

const SIZE = 1000 * MB
const BLOCK = 1024 * 1024
/** As `client/src/transport/resumable-upload.ts` sends them. */
const PIECE_BYTES = 32 * 1024 * 1024
const RUNS = 3
const MIB = 1024 * 1024
const ROOM = { HELIOGRAPH_GUEST_FILE: '2GiB', HELIOGRAPH_GUEST_TOTAL: '32GiB' }
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const PART = 'content-disposition: form-data; name="file"; filename="large.png"\r\ncontent-type: image/png'

/** The same transfers by a plain client. */
interface Plain {
  put(): Promise<void>
  get(to: string): Promise<void>
  /** The same over a connection, where `put` and `get` need none. */
  over?: { send(): Promise<void>; receive(to: string): Promise<void> }
}

/** Measures both stores, one after the other, each with its own server. */
export async function measureStored(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-bench-'))
  try {
    return [...(await onFolder(folder)), ...(await onBucket(folder))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onFolder(folder: string): Promise<Row[]> {
  const server = await Server.start(ROOM)
  const straight = join(folder, 'straight')
  const bare = await BareServer.start(join(folder, 'received'))
  const plain: Plain = {
    over: {
      async send() {
        whole(await bare.receive(content()))
      },
      async receive(to) {
        whole(await download(bare.url, to))
      },
    },
    async put() {
      await ontoDisk(straight, async (write) => {
        for (const bytes of content()) write(bytes)
      })
    },
    async get(to) {
      whole(await copy(straight, to))
    },
  }
  try {
    return await compare('a folder', server, plain, [folder, server.blobs])
  } finally {
    await bare.stop()
  }
}

async function onBucket(folder: string): Promise<Row[]> {
  const bucket = await Bucket.start({ open: true })
  try {
    const server = await Server.start({ ...ROOM, ...bucket.settings })
    const url = `${bucket.url}/straight`
    const plain: Plain = {
      async put() {
        await send({ method: 'PUT', url, type: 'image/png', length: SIZE, body: content() })
      },
      async get(to) {
        whole(await download(url, to))
      },
    }
    return await compare('S3', server, plain, [folder, bucket.folder])
  } finally {
    await bucket.stop()
  }
}

/**
 * Alternates between product and reference. Before each run the system's cache of the files in `folders` is dropped, so
 * that both read from the disk and have the same free memory.
 */
async function compare(place: string, server: Server, plain: Plain, folders: string[]): Promise<Row[]> {
  const [up, pieces, sent, down, came] = [noSpeeds(), noSpeeds(), noSpeeds(), noSpeeds(), noSpeeds()]
  const beam = await keptBeam(server)
  const to = join(folders[0] ?? '', 'copy')
  const fromCold = async (move: () => Promise<unknown>) => {
    for (const folder of folders) await forgetCached(folder)
    return await speedOf(move)
  }
  try {
    // Connections, pools and code that only the first upload loads are not measured.
    await upload(server.origin, 8 * MB)
    const idle = await treeBytes(server.pid)
    const memory = watchPeak(server.pid)
    for (let run = 0; run <= RUNS; run += 1) {
      let url = ''
      const ours = await fromCold(async () => (url = await upload(server.origin, SIZE)))
      const inPieces = await fromCold(() => uploadInPieces(server.origin, beam.id))
      const theirs = await fromCold(() => plain.put())
      const over = plain.over && (await fromCold(plain.over.send))
      const back = await fromCold(async () => whole(await download(url, to)))
      const straight = await fromCold(() => plain.get(to))
      const bare = await fromCold(async () => plain.over?.receive(to))
      // The first run warms up both.
      if (run === 0) continue
      add(up, ours, theirs)
      add(pieces, inPieces, theirs)
      add(down, back, straight)
      if (over) {
        add(sent, ours, over)
        add(came, back, bare)
      }
      const beside = { 'up beside a connection': sent, 'down beside a connection': came }
      printRun(`${place}, run ${run} of ${RUNS}`, { up, pieces, down, ...beside })
    }
    const above = (await memory.stop()) - idle
    return [
      ratio(`upload of 1 GB to ${place}`, up),
      ratio('  in pieces, by tus', pieces),
      ...(plain.over ? [ratio('  beside a connection that is written to it', sent)] : []),
      ratio(`download of 1 GB from ${place}, onto the disk`, down),
      ...(plain.over ? [ratio('  beside a connection that is read from it', came)] : []),
      {
        figure: `server's memory above idle, ${place}`,
        product: `${(above / MIB).toFixed(1)} MiB`,
        reference: '',
        value: above / MIB,
        target: { atMost: 32 },
      },
    ]
  } finally {
    beam.client.leaves()
    await server.stop()
  }
}

/** A beam that keeps what is stored for it, and the device that is in it. */
async function keptBeam(server: Server): Promise<{ id: string; client: RawClient }> {
  const id = randomUUID()
  const client = await RawClient.joins(`${server.origin}/?beam_id=${id}`)
  client.send({ type: 'keep', message: '24h', extra: null })
  await client.next('kept')
  return { id, client }
}

/** Uploads the file for a beam in pieces of the size that the page uses, and waits until the server has stored it. */
async function uploadInPieces(origin: string, beam: string): Promise<void> {
  const tus = 'tus-resumable: 1.0.0'
  const none = { type: 'text/plain', length: 0, body: [] }
  const { head } = await exchange({
    ...none,
    method: 'POST',
    url: `${origin}/api/beams/${beam}/tus/`,
    more: [tus, `upload-length: ${SIZE}`, `upload-metadata: filename ${btoa('large.png')}`],
  })
  const [, path] = /^location: (\S+)/im.exec(head) ?? []
  if (path === undefined) throw new Error(head)
  const url = new URL(path, origin).href
  for (let at = 0; at < SIZE; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, SIZE - at)
    const more = [tus, `upload-offset: ${at}`]
    const body = at === 0 ? content(length) : blocks(length)
    await exchange({ method: 'PATCH', url, type: 'application/offset+octet-stream', more, length, body })
  }
  while (!(await exchange({ ...none, method: 'GET', url })).head.startsWith('HTTP/1.1 200')) await pause(50)
}

function whole(bytes: number): void {
  if (bytes !== SIZE) throw new Error(`${bytes} bytes came`)
}

interface Speeds {
  ours: number[]
  theirs: number[]
}

function noSpeeds(): Speeds {
  return { ours: [], theirs: [] }
}

function add(speeds: Speeds, ours: number, theirs: number): void {
  speeds.ours.push(ours)
  speeds.theirs.push(theirs)
}

function ratio(figure: string, { ours, theirs }: Speeds): Row {
  return {
    figure,
    product: speed(median(ours)),
    reference: speed(median(theirs)),
    value: median(ours) / median(theirs),
    target: { atLeast: 0.8 },
  }
}

/** Prints the speeds of one run, which show how much the machine itself varies. */
function printRun(name: string, speeds: Readonly<Record<string, Speeds>>): void {
  const pairs = Object.entries(speeds).flatMap(([way, { ours, theirs }]) =>
    ours.length > 0 ? [`${way} ${speed(ours.at(-1))} of ${speed(theirs.at(-1))}`] : [],
  )
  process.stderr.write(`${name}: ${pairs.join(', ')}\n`)
}

function speed(bytesPerSecond = 0): string {
  return `${(bytesPerSecond / MB).toFixed(0)} MB/s`
}

async function speedOf(move: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await move()
  return (SIZE / (performance.now() - started)) * 1000
}

/** Bytes that begin like a picture. One block is repeated, so that generating them costs nothing. */
function* content(size = SIZE): Generator<Buffer> {
  yield PNG
  yield* blocks(size - PNG.length)
}

function* blocks(size: number): Generator<Buffer> {
  const block = Buffer.alloc(BLOCK, 'light')
  for (let left = size; left > 0; left -= BLOCK) yield block.subarray(0, Math.min(left, BLOCK))
}

/** Uploads a file and returns its address. */
async function upload(origin: string, size: number): Promise<string> {
  const [start, end] = [Buffer.from(`--x\r\n${PART}\r\n\r\n`), Buffer.from('\r\n--x--\r\n')]
  function* form() {
    yield start
    yield* content(size)
    yield end
  }
  const said = await send({
    method: 'POST',
    url: `${origin}/api/upload/`,
    type: 'multipart/form-data; boundary=x',
    length: start.length + size + end.length,
    body: form(),
  })
  const file = JSON.parse(said) as { url: string; size: number }
  if (file.size !== size) throw new Error(said)
  return origin + file.url
}

/** Drops the cache of the files in a folder, so that the next read comes from the disk. */
async function forgetCached(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found?.isFile()) execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none'])
  }
}
