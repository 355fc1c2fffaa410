import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { OPCODE, RawClient } from '../support/raw-client.ts'
import { type CallDevice, test } from '../support/stage.ts'

const KIB = 1024
/** Messages that are sent without a pause at first. A server that slows a flood down reads them for 45 s (S15). */
const FLOOD = 5_000

async function adaAndBob(device: CallDevice) {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  return { ada, bob, link }
}

async function talk(ada: Device, bob: Device, text: string): Promise<void> {
  await ada.sharesText(text)
  await expect(bob.card(text)).toHaveCount(1)
}

/** Sends message after message until `until` is true. `sent` is told how many there are. */
async function floods(loud: RawClient, until: () => boolean, sent: (count: number) => void): Promise<void> {
  const id = crypto.randomUUID()
  for (let round = 0; !until(); round += 1) {
    loud.send({ type: 'share_clipboard', id, extra: 'text', message: `flood ${round}` })
    sent(round + 1)
    if (round < FLOOD) continue
    await loud.drained()
    if (round % 100 === 0) await new Promise(setImmediate)
  }
}

/** Returns how much of the flood the server had passed on when it passed on this text. */
async function passedBefore(loud: RawClient, text: string): Promise<number> {
  for (let passed = 0; ; ) {
    const words = String((await loud.next('rec_clipboard')).message)
    if (words === text) return passed
    if (words.startsWith('flood ')) passed = Number(words.slice('flood '.length)) + 1
  }
}

test('a device that never reads is closed, and others are not affected', async ({ device }) => {
  test.setTimeout(180_000)
  const { ada, bob, link } = await adaAndBob(device)
  const deaf = await RawClient.joins(link)
  deaf.stopsReading()
  await ada.seesDevices(3, { plain: 1 })
  await talk(bob, ada, 'while it is deaf')

  // More than the kernel's buffers and the outbox of 4 MiB hold together, by changing one item again and again.
  const loud = await RawClient.joins(link)
  const id = crypto.randomUUID()
  for (let round = 0; round < 200; round += 1) {
    const message = `round ${round}. `.padEnd(100 * KIB, 'x')
    loud.send({ type: 'share_clipboard', id, extra: 'text', message })
    await loud.next('rec_clipboard')
    // Only as fast as the reading devices can follow, so that no other one falls behind.
    if (round % 10 === 0) for (const person of [ada, bob]) await person.sees(`round ${round}.`)
  }
  // It is still deaf and has been closed; the loud one is the third.
  await ada.seesDevices(3, { plain: 1 })
  await talk(ada, bob, 'in the middle of it')
  loud.leaves()
  await ada.seesDevices(2)
  await talk(bob, ada, 'after it')
})

test.describe('a device that floods', () => {
  // It has to see what the others say.
  test.use({ clear: true })

  test('slows only itself', async ({ device }) => {
    const { ada, bob, link } = await adaAndBob(device)
    const loud = await RawClient.joins(link)
    await ada.seesDevices(3)
    let flooding = true
    let sent = 0
    const flood = floods(
      loud,
      () => !flooding,
      (count) => {
        sent = count
      },
    )

    // What the others say overtakes what was sent before it: the flood waits, and they do not.
    const overtakes = async (from: Device, to: Device, text: string) => {
      const before = sent
      await talk(from, to, text)
      expect(await passedBefore(loud, text)).toBeLessThan(before)
    }
    for (let round = 0; round < 5; round += 1) {
      await overtakes(ada, bob, `calm ${round} of Ada`)
      await overtakes(bob, ada, `calm ${round} of Bob`)
    }
    flooding = false
    loud.leaves()
    await flood
    await ada.seesDevices(2)
  })
})

const OFFENCES: readonly { name: string; commit: (raw: RawClient) => void; closes: number }[] = [
  { name: 'no JSON', commit: (raw) => raw.sendFrame(OPCODE.text, Buffer.from('hello')), closes: 4400 },
  {
    name: 'JSON without a type',
    commit: (raw) => raw.sendFrame(OPCODE.text, Buffer.from('[1]')),
    closes: 4400,
  },
  { name: 'cut JSON', commit: (raw) => raw.sendFrame(OPCODE.text, Buffer.from('{"type":"sy')), closes: 4400 },
  {
    name: 'invalid UTF-8',
    commit: (raw) => raw.sendFrame(OPCODE.text, Buffer.from([0x22, 0xc3, 0x28])),
    closes: 1007,
  },
  {
    name: 'more than 1 MiB',
    commit: (raw) => raw.sendFrame(OPCODE.text, Buffer.alloc(KIB * KIB + 1, 'x')),
    closes: 1009,
  },
]

test('an unreadable message closes its sender and no other device', async ({ device }) => {
  const { ada, bob, link } = await adaAndBob(device)
  for (const { name, commit, closes } of OFFENCES) {
    const raw = await RawClient.joins(link)
    commit(raw)
    expect(await raw.closed, name).toBe(closes)
    await talk(ada, bob, `after ${name}`)
  }
  await ada.seesDevices(2)
})

test('an unknown message gets an error, and the socket stays open', async ({ device }) => {
  const { ada, bob, link } = await adaAndBob(device)
  const raw = await RawClient.joins(link)

  raw.send({ type: 'no_such_type', message: 1 })
  expect((await raw.next('error')).extra).toBe('unknown_type')
  raw.send({ type: 'share_clipboard', message: 'x'.repeat(257 * KIB) })
  expect((await raw.next('error')).extra).toBe('too_large')
  // A relay frame without an addressee, and one to a device that is not here.
  raw.sendFrame(OPCODE.binary, Buffer.alloc(3))
  expect((await raw.next('error')).extra).toBe('bad_request')
  raw.sendFrame(OPCODE.binary, Buffer.alloc(40))
  expect((await raw.next('error')).extra).toBe('device_gone')

  raw.send({ type: 'share_clipboard', message: 'from a plain socket' })
  await ada.sees('from a plain socket')
  await talk(ada, bob, 'all well')
  raw.leaves()
})
