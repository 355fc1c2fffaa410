/** Watches and cuts a page's links to other devices, in Chromium and Firefox. */
import type { BrowserContext, Page } from '@playwright/test'

type Way = 'bytesSent' | 'bytesReceived'

interface Paths {
  readonly made: RTCPeerConnection[]
  /** Returns the bytes that each connection has sent over its data channels. */
  readonly sent: () => Promise<number[]>
  /** The same of what it has received. */
  readonly received: () => Promise<number[]>
  relayed: number
  cut: boolean
  turnOnly: boolean
}

declare global {
  interface Window {
    heliographPaths?: Paths
  }
}

/** Records every peer connection and counts the binary bytes of websockets. Call it before the page opens. */
export async function watchPaths(context: BrowserContext): Promise<void> {
  await context.addInitScript(instrument)
}

/**
 * Closes every peer connection of the page and keeps new ones from connecting, like a network that begins to drop UDP.
 * Returns how many bytes went over data channels before.
 *
 * @param after closes them only when the page has sent so many bytes. It watches for that itself, so a fast transfer is cut in the
 *   middle too.
 */
export async function cutDirectPaths(page: Page, after = 0): Promise<number> {
  return await page.evaluate(async (after) => {
    const paths = window.heliographPaths
    if (!paths) throw new Error('watchPaths was not called')
    const sent = async () => (await paths.sent()).reduce((sum, bytes) => sum + bytes, 0)
    let bytes = await sent()
    // What a slow machine has sent through the server meanwhile counts too: the rest may never come to as much.
    while (bytes + paths.relayed < after) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      bytes = await sent()
    }
    paths.cut = true
    for (const connection of paths.made) connection.close()
    return bytes
  }, after)
}

/** Returns how many of the page's connections have sent at least so many bytes over their data channels. */
export async function connectionsThatSent(page: Page, bytes: number): Promise<number> {
  const sent = await page.evaluate(() => window.heliographPaths?.sent() ?? [])
  return sent.filter((count) => count >= bytes).length
}

/** Returns the bytes that the page sent over its data channels. */
export async function directBytes(page: Page): Promise<number> {
  const sent = await page.evaluate(() => window.heliographPaths?.sent() ?? [])
  return sent.reduce((sum, bytes) => sum + bytes, 0)
}

/** Returns the bytes that the page received over its data channels. */
export async function directBytesReceived(page: Page): Promise<number> {
  const received = await page.evaluate(() => window.heliographPaths?.received() ?? [])
  return received.reduce((sum, bytes) => sum + bytes, 0)
}

/** Lets the pages of a device connect only over TURN, as behind a NAT that nothing else passes. */
export async function usesOnlyTurn({ context }: { context: BrowserContext }): Promise<void> {
  await context.addInitScript(() => {
    if (window.heliographPaths) window.heliographPaths.turnOnly = true
  })
}

/** Returns the bytes that the page sent in binary messages of its websockets. */
export async function relayedBytes(page: Page): Promise<number> {
  return await page.evaluate(() => window.heliographPaths?.relayed ?? 0)
}

/** Whether the page has an open direct link. */
export async function hasDirectLink(page: Page): Promise<boolean> {
  return await page.evaluate(
    () =>
      window.heliographPaths?.made.some(({ connectionState }) => connectionState === 'connected') ?? false,
  )
}

/** Runs in the page, before any script of its own. */
function instrument(): void {
  const made: RTCPeerConnection[] = []
  /** What the connections that were closed had sent and received. Afterwards the browser tells nothing of it. */
  const atClose = new Map<RTCPeerConnection, Readonly<Record<Way, Promise<number>>>>()
  const bytesOf = async (connection: RTCPeerConnection, way: Way) => {
    let bytes = 0
    for (const entry of (await connection.getStats()).values())
      if (entry.type === 'data-channel') bytes += entry[way]
    return bytes
  }
  const bytes = (way: Way) => Promise.all(made.map((one) => atClose.get(one)?.[way] ?? bytesOf(one, way)))
  const sent = () => bytes('bytesSent')
  const received = () => bytes('bytesReceived')
  const paths: Paths = { made, sent, received, relayed: 0, cut: false, turnOnly: false }
  window.heliographPaths = paths

  const limited = (configuration?: RTCConfiguration): RTCConfiguration => ({
    ...configuration,
    // With relay candidates only, and no TURN server, the connection never opens.
    ...(paths.cut && { iceServers: [] }),
    ...((paths.cut || paths.turnOnly) && { iceTransportPolicy: 'relay' }),
  })

  const Real = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Real {
    constructor(configuration?: RTCConfiguration) {
      super(limited(configuration))
      made.push(this)
    }

    override close(): void {
      const last = () => ({
        bytesSent: bytesOf(this, 'bytesSent'),
        bytesReceived: bytesOf(this, 'bytesReceived'),
      })
      if (!atClose.has(this)) atClose.set(this, last())
      super.close()
    }

    override setConfiguration(configuration: RTCConfiguration): void {
      super.setConfiguration(limited(configuration))
    }
  }

  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (this: WebSocket, data) {
    if (data instanceof Blob) paths.relayed += data.size
    else if (typeof data !== 'string') paths.relayed += data.byteLength
    send.call(this, data)
  }
}
