/** Watches, and cuts, the ways by which a page reaches other devices. Chromium and Firefox. */
import type { BrowserContext, Page } from '@playwright/test'

interface Paths {
  readonly made: RTCPeerConnection[]
  relayed: number
  cut: boolean
}

declare global {
  interface Window {
    heliographPaths?: Paths
  }
}

/** Call before the page opens: remembers every peer connection and counts the binary bytes of websockets. */
export async function watchPaths(context: BrowserContext): Promise<void> {
  await context.addInitScript(instrument)
}

/**
 * Ends every peer connection of the page and lets no new one find a way, as a network does that begins to drop UDP.
 * Answers how many bytes went over data channels until then.
 *
 * @param after cuts only when so many bytes went over them. The page itself watches for it: however fast the transfer
 *   and slow the test, it is cut in the middle.
 */
export async function cutDirectPaths(page: Page, after = 0): Promise<number> {
  return await page.evaluate(async (after) => {
    const paths = window.heliographPaths
    if (!paths) throw new Error('watchPaths was not called')
    const sent = async () => {
      let bytes = 0
      for (const connection of paths.made) {
        const stats = await connection.getStats()
        for (const entry of stats.values()) if (entry.type === 'data-channel') bytes += entry.bytesSent
      }
      return bytes
    }
    let bytes = await sent()
    while (bytes < after) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      bytes = await sent()
    }
    paths.cut = true
    for (const connection of paths.made) connection.close()
    return bytes
  }, after)
}

/** Bytes that the page sent over its websockets in binary messages. */
export async function relayedBytes(page: Page): Promise<number> {
  return await page.evaluate(() => window.heliographPaths?.relayed ?? 0)
}

/** Whether the page is connected to another one directly. */
export async function hasDirectLink(page: Page): Promise<boolean> {
  return await page.evaluate(
    () =>
      window.heliographPaths?.made.some(({ connectionState }) => connectionState === 'connected') ?? false,
  )
}

/** Runs in the page, before any script of its own. */
function instrument(): void {
  const paths: Paths = { made: [], relayed: 0, cut: false }
  window.heliographPaths = paths

  const Real = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Real {
    constructor(configuration?: RTCConfiguration) {
      // Only relay candidates, and no server for them: such a connection never opens.
      super(paths.cut ? { ...configuration, iceServers: [], iceTransportPolicy: 'relay' } : configuration)
      paths.made.push(this)
    }
  }

  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (this: WebSocket, data) {
    if (data instanceof Blob) paths.relayed += data.size
    else if (typeof data !== 'string') paths.relayed += data.byteLength
    send.call(this, data)
  }
}
