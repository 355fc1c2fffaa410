/**
 * The reference: a data channel with messages of 64 KiB, water marks at 4 MiB and 1 MiB, and a receiver that only
 * counts.
 */
import type { Page } from '@playwright/test'

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
): Promise<number> {
  await to.evaluate(receiver, { bytes, configuration })
  const offer = await from.evaluate(sender, configuration)
  const answer = await to.evaluate(accept, offer)
  const started = performance.now()
  await from.evaluate(send, { answer, bytes })
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

async function send({ answer, bytes }: { answer: string; bytes: number }): Promise<void> {
  const HIGH_WATER = 4 << 20
  const bare = window.bare
  if (!bare) throw new Error('no connection')
  const { connection, channel } = bare
  channel.bufferedAmountLowThreshold = 1 << 20
  await connection.setRemoteDescription(JSON.parse(answer))
  if (channel.readyState !== 'open') await new Promise((resolve) => channel.addEventListener('open', resolve))
  const message = new Uint8Array(64 << 10)
  for (let sent = 0; sent < bytes; sent += message.length) {
    if (channel.bufferedAmount >= HIGH_WATER) {
      await new Promise((resolve) => channel.addEventListener('bufferedamountlow', resolve, { once: true }))
    }
    channel.send(message.subarray(0, Math.min(message.length, bytes - sent)))
  }
}
