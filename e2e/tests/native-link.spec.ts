/** A connection between a browser, by the library that the page uses, and a native device (L4, L5, F8). */

import { fileURLToPath } from 'node:url'
import { test as base, expect, type Page } from '@playwright/test'
import { NativeLink, type Told } from '../support/native-link.ts'

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
  }
}

/** Carries the signals between the page and a native end, until the test is over. */
class Wire {
  readonly page: Page
  readonly native: NativeLink
  readonly heard: Told[] = []
  #isOver = false

  constructor(page: Page, native: NativeLink) {
    this.page = page
    this.native = native
  }

  async begin(pageInitiates: boolean): Promise<void> {
    await this.page.goto('about:blank')
    await this.page.addScriptTag({ path: SIMPLE_PEER })
    await this.page.evaluate(connect, pageInitiates)
    void this.#carry()
  }

  async opens(): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => window.ends.isOpen)).toBe(true)
    await expect
      .poll(() => this.heard.find(({ opened }) => opened)?.opened)
      .toEqual({ path: 'direct', maxFrame: 256 * 1024 })
  }

  async end(): Promise<void> {
    this.#isOver = true
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

const test = base.extend<{ wire: (pageInitiates: boolean) => Promise<Wire> }>({
  wire: async ({ page }, use) => {
    const wires: Wire[] = []
    await use(async (pageInitiates) => {
      const wire = new Wire(page, new NativeLink(...(pageInitiates ? [] : ['--initiator'])))
      wires.push(wire)
      await wire.begin(pageInitiates)
      await wire.opens()
      return wire
    })
    for (const wire of wires) await wire.end()
  },
})

for (const pageInitiates of [true, false]) {
  const who = pageInitiates ? 'the browser' : 'the native device'

  test(`l5 frames of every size go both ways where ${who} initiates`, { tag: '@everywhere' }, async ({
    page,
    wire,
  }) => {
    await wire(pageInitiates)
    for (const bytes of [1, 1_200, 64 * 1024, 256 * 1024]) {
      for (const channel of ['bulk', 'control'] as const) {
        const echo = await page.evaluate(([name, size]) => window.ends.echo(name, size), [
          channel,
          bytes,
        ] as const)
        expect(echo).toEqual({ bytes, wrong: 0 })
      }
    }
  })

  test(`l4 frames go on after ICE was restarted where ${who} initiates`, { tag: '@everywhere' }, async ({
    page,
    wire,
  }) => {
    const { native, heard } = await wire(pageInitiates)
    const descriptions = () =>
      heard.filter(({ signal }) => typeof (signal as { sdp?: unknown } | undefined)?.sdp === 'string').length
    expect(descriptions()).toBe(1)
    if (pageInitiates) await page.evaluate(() => window.ends.restart())
    else native.tell({ signal: { type: 'restart' } })
    await expect.poll(descriptions).toBe(2)
    const echo = await page.evaluate(() => window.ends.echo('bulk', 256 * 1024))
    expect(echo).toEqual({ bytes: 256 * 1024, wrong: 0 })
  })

  test(`l5 the native end closes when the browser does, where ${who} initiates`, {
    tag: '@everywhere',
  }, async ({ page, wire }) => {
    const { heard } = await wire(pageInitiates)
    await page.evaluate(() => window.ends.close())
    await expect.poll(() => heard.some(({ closed }) => closed)).toBe(true)
  })

  test(`l5 the browser closes when the native end does, where ${who} initiates`, {
    tag: '@everywhere',
  }, async ({ page, wire }) => {
    const { native } = await wire(pageInitiates)
    native.tell({ close: true })
    await expect.poll(() => page.evaluate(() => window.ends.isClosed)).toBe(true)
  })
}
