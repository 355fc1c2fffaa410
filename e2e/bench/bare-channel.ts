/** The reference: a data channel, and a receiver that only counts. */
import type { Page } from '@playwright/test'

/** How a sender fills its channel, in bytes. */
export interface Filling {
  readonly message: number
  /** It sends while less than this waits in the channel, and goes on when `low` or less does. */
  readonly high: number
  readonly low: number
}

const USUAL: Filling = { message: 64 << 10, high: 4 << 20, low: 1 << 20 }

declare global {
  interface Window {
    bare?: {
      connection: RTCPeerConnection
      channel: RTCDataChannel
      done: Promise<number>
    }
  }
}

/**
 * Returns the bytes per second from one page to the other. Both must be open on any page of the server.
 *
 * @param configuration says which ways both may use.
 */
export async function bareChannelSpeed(
  from: Page,
  to: Page,
  bytes: number,
  configuration: RTCConfiguration = {},
  filling: Filling = USUAL,
): Promise<number> {
  await to.evaluate(receiver, { bytes, configuration })
  const offer = await from.evaluate(sender, configuration)
  const answer = await to.evaluate(accept, offer)
  const started = performance.now()
  await from.evaluate(send, { answer, bytes, filling })
  const milliseconds = await to.evaluate(() => window.bare?.done ?? Number.NaN)
  const seconds = milliseconds / 1000
  if (performance.now() - started < milliseconds) throw new Error('the page counted more time than there was')
  return bytes / seconds
}

function receiver({ bytes, configuration }: { bytes: number; configuration: RTCConfiguration }): void {
  const connection = new RTCPeerConnection(configuration)
  const channel = connection.createDataChannel('bare', { negotiated: true, id: 1 })
  channel.binaryType = 'arraybuffer'
  const done = new Promise<number>((resolve) => {
    let received = 0
    let started = 0
    channel.onopen = () => {
      started = performance.now()
    }
    channel.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      received += data.byteLength
      if (received >= bytes) resolve(performance.now() - started)
    }
  })
  window.bare = { connection, channel, done }
}

/** Creates the offer with all its candidates. Runs in the page. */
async function sender(configuration: RTCConfiguration): Promise<string> {
  const connection = new RTCPeerConnection(configuration)
  const channel = connection.createDataChannel('bare', { negotiated: true, id: 1 })
  window.bare = { connection, channel, done: Promise.resolve(0) }
  await connection.setLocalDescription()
  await new Promise<void>((resolve) => {
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve()
  })
  return JSON.stringify(connection.localDescription)
}

async function accept(offer: string): Promise<string> {
  const connection = window.bare?.connection
  if (!connection) throw new Error('no connection')
  await connection.setRemoteDescription(JSON.parse(offer))
  await connection.setLocalDescription()
  await new Promise<void>((resolve) => {
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve()
  })
  return JSON.stringify(connection.localDescription)
}

async function send(task: { answer: string; bytes: number; filling: Filling }): Promise<void> {
  const { answer, bytes, filling } = task
  const bare = window.bare
  if (!bare) throw new Error('no connection')
  const { connection, channel } = bare
  channel.bufferedAmountLowThreshold = filling.low
  await connection.setRemoteDescription(JSON.parse(answer))
  if (channel.readyState !== 'open') await new Promise((resolve) => channel.addEventListener('open', resolve))
  const message = new Uint8Array(filling.message)
  for (let sent = 0; sent < bytes; sent += message.length) {
    if (channel.bufferedAmount >= filling.high) {
      await new Promise((resolve) => channel.addEventListener('bufferedamountlow', resolve, { once: true }))
    }
    channel.send(message.subarray(0, Math.min(message.length, bytes - sent)))
  }
}
