/** A bucket on a real S3 server (SeaweedFS) in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './server.ts'

const WEED = fileURLToPath(new URL('../../target/test-tools/bin/weed', import.meta.url))
const BUCKET = 'beams'
const CREDENTIALS = { accessKey: 'test', secretKey: 'the secret of the test' }
const READY_WITHIN_MS = 60_000
const HOST = '127.0.0.1'

/** The services of SeaweedFS, each of which would otherwise take a fixed port. */
const PORTS = ['master', 'filer', 'volume', 'admin', 's3'].flatMap((name) => [
  `${name}.port`,
  `${name}.port.grpc`,
])

export class Bucket {
  readonly #port: number
  /** The server's data folder. */
  readonly folder: string
  readonly #process: ChildProcess
  readonly #log: string[] = []

  private constructor(port: number, folder: string, process: ChildProcess) {
    this.#port = port
    this.folder = folder
    this.#process = process
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (text: Buffer) => this.#log.push(text.toString()))
    }
  }

  /** Starts the server with an empty bucket and waits until it answers. With `open` it needs no credentials. */
  static async start({ open = false } = {}): Promise<Bucket> {
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-bucket-'))
    const identity = {
      name: 'test',
      credentials: [CREDENTIALS],
      actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
    }
    const anybody = { name: 'anonymous', actions: ['Read', 'Write'] }
    const identities = open ? [identity, anybody] : [identity]
    await writeFile(join(folder, 's3.json'), JSON.stringify({ identities }))
    const ports = new Map<string, number>()
    for (const name of PORTS) ports.set(name, await freePort())
    const args = [
      'mini',
      `-dir=${folder}`,
      `-ip=${HOST}`,
      `-ip.bind=${HOST}`,
      `-bucket=${BUCKET}`,
      `-s3.config=${join(folder, 's3.json')}`,
      '-admin.ui=false',
      '-webdav=false',
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
      ...[...ports].map(([name, port]) => `-${name}=${port}`),
    ]
    const child = spawn(WEED, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const bucket = new Bucket(ports.get('s3.port') ?? 0, folder, child)
    await bucket.#ready()
    return bucket
  }

  /** The address of the bucket. */
  get url(): string {
    return `http://${HOST}:${this.#port}/${BUCKET}`
  }

  /** The settings with which the product stores its files here. */
  get settings(): Record<string, string> {
    return this.settingsBy(new URL(this.url).origin)
  }

  /** The same through a wire. */
  settingsBy(origin: string): Record<string, string> {
    return {
      HELIOGRAPH_BLOBS: `s3://${BUCKET}?endpoint=${origin}&allow_http=true`,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKey,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretKey,
    }
  }

  /** Ends the process and removes its data. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const gone = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await gone
    }
    await rm(this.folder, { recursive: true, force: true })
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS
    while (performance.now() < deadline && this.#process.exitCode === null) {
      // Without credentials an existing bucket answers 403, and a missing one 404.
      const answer = await fetch(this.url).catch(() => null)
      if (answer?.status === 403 || answer?.ok) return
      await pause(100)
    }
    throw new Error(`${WEED} did not get ready:\n${this.#log.join('')}`)
  }
}
