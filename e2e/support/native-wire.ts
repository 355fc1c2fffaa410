/** A connection of a page, by the library that the product uses, to a native device. */
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { NativeLink, type Told } from './native-link.ts'

const SIMPLE_PEER = fileURLToPath(
  new URL('../../node_modules/simple-peer/simplepeer.min.js', import.meta.url),
)

/** What the page of a test has. */
interface Ends {
  readonly signals: unknown[]
  signal(signal: unknown): void
  restart(): void
  close(): void
  readonly isOpen: boolean
  readonly isClosed: boolean
  /** Sends a frame and returns the one that comes back, with the number of its bytes that are others. */
  echo(channel: 'bulk' | 'control', bytes: number): Promise<{ bytes: number; wrong: number }>
  /** Takes chunks until a frame of one byte, and returns the bytes a second. */
  drain(): Promise<number>
  /** Sends so many bytes in chunks, and then a frame of one byte. */
  flood(bytes: number): Promise<void>
}

declare global {
  interface Window {
    ends: Ends
  }
}

/** Runs in the page: what `peer-link.ts` and `channel-link.ts` do, without what they do it for. */
function connect(initiator: boolean): void {
  const { SimplePeer } = window as unknown as { SimplePeer: new (options: object) => never }
  // biome-ignore lint/suspicious/noExplicitAny: the library comes as a script, without its types
  const peer: any = new SimplePeer({ initiator, trickle: true, config: { iceServers: [] } })
  const connection: RTCPeerConnection = peer._pc
  const channels = {
    bulk: connection.createDataChannel('bulk', { negotiated: true, id: 10 }),
    control: connection.createDataChannel('control', { negotiated: true, id: 11 }),
  }
  for (const channel of Object.values(channels)) channel.binaryType = 'arraybuffer'
  const signals: unknown[] = []
  let isClosed = false
  let isConnected = false
  peer.on('signal', (signal: unknown) => signals.push(signal))
  peer.on('connect', () => {
    isConnected = true
  })
  peer.on('close', () => {
    isClosed = true
  })
  peer.on('error', () => {})
  peer.resume()
  window.ends = {
    signals,
    signal: (signal) => !peer.destroyed && peer.signal(signal),
    restart: () => {
      connection.restartIce()
      peer.negotiate()
    },
    close: () => peer.destroy(),
    get isOpen() {
      return isConnected && Object.values(channels).every(({ readyState }) => readyState === 'open')
    },
    get isClosed() {
      return isClosed
    },
    echo: (name, bytes) => {
      const channel = channels[name]
      const frame = new Uint8Array(bytes).map((_, at) => (at * 31) % 251)
      frame[0] = name === 'bulk' ? 2 : 7
      const answer = new Promise<ArrayBuffer>((resolve) => {
        channel.onmessage = ({ data }) => resolve(data)
      })
      channel.send(frame)
      return answer.then((data) => {
        const got = new Uint8Array(data)
        return { bytes: got.length, wrong: got.filter((byte, at) => byte !== frame[at]).length }
      })
    },
    drain: () =>
      new Promise((resolve) => {
        let [bytes, since] = [0, 0]
        channels.bulk.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
          since ||= performance.now()
          bytes += data.byteLength
          if (data.byteLength === 1) resolve((1_000 * bytes) / (performance.now() - since))
        }
      }),
    flood: async (bytes) => {
      const { bulk } = channels
      const frame = new Uint8Array(256 * 1024).fill(2)
      bulk.bufferedAmountLowThreshold = 1 << 20
      for (let left = bytes; left > 0; left -= frame.length) {
        if (bulk.bufferedAmount >= 4 << 20)
          await new Promise((resolve) => bulk.addEventListener('bufferedamountlow', resolve, { once: true }))
        bulk.send(frame.subarray(0, Math.min(left, frame.length)))
      }
      bulk.send(new Uint8Array(1))
    },
  }
}

interface Traits {
  readonly pageInitiates: boolean
  /** Whether the native end sends nothing back. */
  readonly isSink?: boolean
  readonly program?: 'debug' | 'release'
}

/** A connection of a page to a native end. It carries the signals between both until the test is over. */
export class NativeWire {
  readonly page: Page
  readonly native: NativeLink
  readonly heard: Told[] = []
  #isOver = false
  #carrying: Promise<void> = Promise.resolve()

  private constructor(page: Page, native: NativeLink) {
    this.page = page
    this.native = native
  }

  static async open(page: Page, { pageInitiates, isSink = false, program }: Traits): Promise<NativeWire> {
    const options = [...(pageInitiates ? [] : ['--initiator']), ...(isSink ? ['--sink'] : [])]
    const wire = new NativeWire(page, new NativeLink(options, program))
    await page.goto('about:blank')
    await page.addScriptTag({ path: SIMPLE_PEER })
    await page.evaluate(connect, pageInitiates)
    wire.#carrying = wire.#carry()
    await wire.#opens()
    return wire
  }

  /** Bytes a second that come to the page. */
  async floodsPage(bytes: number): Promise<number> {
    const speed = this.page.evaluate(() => window.ends.drain())
    this.native.tell({ send: bytes })
    return await speed
  }

  /** Bytes a second that come to the native end. */
  async floodsNative(bytes: number): Promise<number> {
    await this.page.evaluate((all) => window.ends.flood(all), bytes)
    const received = () => this.heard.find((told) => told.received)?.received
    while (!received()) await new Promise((resolve) => setTimeout(resolve, 20))
    const { bytes: all, ms } = received() ?? { bytes: 0, ms: 1 }
    return (1_000 * all) / ms
  }

  async #opens(): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => window.ends.isOpen)).toBe(true)
    await expect
      .poll(() => this.heard.find(({ opened }) => opened)?.opened)
      .toEqual({ path: 'direct', maxFrame: 256 * 1024 })
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#carrying
    await this.native.stop()
  }

  async #carry(): Promise<void> {
    while (!this.#isOver) {
      for (const signal of await this.page.evaluate(() => window.ends.signals.splice(0)))
        this.native.tell({ signal })
      const heard = this.native.hear()
      this.heard.push(...heard)
      const signals = heard.flatMap(({ signal }) => (signal === undefined ? [] : [signal]))
      await this.page.evaluate((all) => {
        for (const signal of all) window.ends.signal(signal)
      }, signals)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
