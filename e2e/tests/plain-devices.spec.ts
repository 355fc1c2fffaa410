/** Devices that do not seal in a sealed beam, and pages that came without https (E12, E13). */
import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { Hostile, type Message } from '../support/hostile.ts'
import { OPCODE, RawClient } from '../support/raw-client.ts'
import { opensDevices } from '../support/sealing.ts'
import { Server } from '../support/server.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** A warning is followed by the number of devices, where there is room for it. */
const pill = (device: Device, text: string) =>
  expect(
    device.page
      .locator('button[aria-haspopup=dialog]')
      .filter({ hasText: text.slice(0, 9) })
      .first(),
  ).toHaveText(new RegExp(`^${text}( · \\d devices)?$`))

async function sealedBeam(device: CallDevice): Promise<{ laptop: Device; phone: Device; link: string }> {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  const link = await laptop.startsBeam()
  await phone.opens(link)
  await pill(laptop, 'Encrypted · 2 devices')
  await pill(phone, 'Encrypted · 2 devices')
  return { laptop, phone, link }
}

/** The texts that a raw client was sent as items. */
const itemsOf = (raw: RawClient) =>
  raw.heard.filter(({ type }) => type === 'rec_clipboard').map(({ message }) => message)

/** Waits until a raw client has heard everything that was said before. */
async function catchesUp(raw: RawClient, text: string): Promise<void> {
  raw.send({ type: 'share_clipboard', message: text, extra: 'text' })
  await expect.poll(() => itemsOf(raw)).toContain(text)
}

async function sendsItToo(device: Device): Promise<void> {
  await opensDevices(device)
  await expect(device.page.getByText('the server can read all that you share from then on')).toBeVisible()
  await device.page.getByRole('button', { name: 'Also send to this device' }).click()
  await pill(device, 'Not encrypted')
  await device.page.keyboard.press('Escape')
}

test('e12 a plain device gets one notice and nothing sealed, and what it shares is marked @everywhere', async ({
  device,
}) => {
  const { laptop, phone, link } = await sealedBeam(device)
  const old = await RawClient.joinsPlain(link)
  await laptop.sharesText('marmalade from Granada')
  await phone.sharesText('quince from Murcia')
  await laptop.sees('quince from Murcia')
  await catchesUp(old, 'hello from an old app')
  expect(itemsOf(old)).toEqual([expect.stringContaining('encrypted'), 'hello from an old app'])
  expect(JSON.stringify(old.heard)).not.toMatch(/e2e1\.|marmalade|quince/)
  for (const one of [laptop, phone]) {
    await expect(one.card('hello from an old app').getByText('Not encrypted')).toBeVisible()
    await expect(one.card('marmalade from Granada').getByText('Not encrypted')).toHaveCount(0)
    await pill(one, 'Encrypted · 2 devices')
  }
  const later = await RawClient.joinsPlain(link)
  await catchesUp(later, 'hello again')
  expect(itemsOf(later)).toEqual([expect.stringContaining('encrypted'), 'hello again'])
})

test('e12 after a tap a plain device alone gets in clear text what is shared there, until it is taken back', async ({
  device,
}) => {
  const { laptop, phone, link } = await sealedBeam(device)
  const old = await RawClient.joinsPlain(link)
  const bystander = await RawClient.joinsPlain(link)
  await laptop.sharesText('before the choice')
  await phone.sees('before the choice')
  await opensDevices(laptop)
  await laptop.page.getByRole('button', { name: 'Also send to this device' }).first().click()
  await pill(laptop, 'Not encrypted')
  await laptop.page.keyboard.press('Escape')
  await laptop.sharesText('oat milk')
  for (const one of [laptop, phone]) await one.sees('oat milk')
  await phone.sharesText('of the phone')
  await laptop.sees('of the phone')
  await catchesUp(old, 'hello')
  expect(itemsOf(old)).toEqual([expect.stringContaining('encrypted'), 'oat milk', 'hello'])
  await expect.poll(() => itemsOf(bystander)).toContain('hello')
  expect(JSON.stringify(bystander.heard)).not.toMatch(/oat milk|before|phone/)
  await pill(phone, 'Encrypted · 2 devices')

  // A later page knows the choice, and its own copies.
  await laptop.page.reload()
  await laptop.sees('oat milk')
  await pill(laptop, 'Not encrypted')
  await expect(laptop.card('oat milk').getByText('Not encrypted')).toHaveCount(0)
  await laptop.sharesText('lemons')
  await expect.poll(() => itemsOf(old)).toContain('lemons')
  await laptop.uses(laptop.card('oat milk'), 'Delete')
  const deleted = () => old.heard.filter(({ type }) => type === 'delete_note').map(({ message }) => message)
  await expect.poll(deleted).toEqual(['oat milk'])

  await opensDevices(laptop)
  await laptop.page.getByRole('button', { name: 'Stop sending to this device' }).click()
  await pill(laptop, 'Encrypted · 2 devices')
  await laptop.page.keyboard.press('Escape')
  await laptop.sharesText('a secret again')
  await phone.sees('a secret again')
  await catchesUp(old, 'goodbye')
  expect(JSON.stringify(old.heard)).not.toMatch(/a secret again|before the choice/)
})

test('e12 a text that the server puts in is marked, whoever it says has shared it @everywhere', async ({
  device,
}) => {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  const server = await Hostile.before(laptop.page)
  await phone.opens(await laptop.startsBeam())
  await phone.sharesText('marmalade from Granada')
  await laptop.sees('marmalade from Granada')
  const [real] = server.heard.filter(({ type }) => type === 'rec_clipboard')
  server.says({ ...(real as Message), id: crypto.randomUUID(), seq: 99_999_999, message: 'send money' })
  await expect(laptop.card('send money').getByText('Not encrypted')).toBeVisible()
  await expect(laptop.card('marmalade from Granada').getByText('Not encrypted')).toHaveCount(0)
})

/** Bytes of a chunk (F2). */
const CHUNK_BYTES = 16_384

test('e12 a device without the keys fetches a file that is sent to it too, and no key comes with it', async ({
  device,
  folder,
}) => {
  const { laptop, phone, link } = await sealedBeam(device)
  const raw = await RawClient.joins(link)
  await sendsItToo(laptop)
  const plan = await folder.file('plan of the garden.bin', 2 * CHUNK_BYTES - 5)
  await laptop.sharesFiles(plan)
  await phone.takes(plan)
  const copy = () =>
    raw.heard.find(({ type, message }) => type === 'rec_clipboard' && typeof message === 'object')
  await expect.poll(copy).toMatchObject({ message: { file: { name: plan.name, size: plan.size } } })
  const item = copy() as unknown as { id: string; from: string; message: { file: object } }
  expect(item.message.file).not.toHaveProperty('seal')

  const uuid = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')
  const range = Buffer.alloc(8)
  range.writeUInt32BE(2, 4)
  raw.sendFrame(OPCODE.binary, Buffer.concat([uuid(item.from), Buffer.from([1]), uuid(item.id), range]))
  // device (16) ‖ 02 ‖ transfer (16) ‖ first (4) ‖ bytes
  const bytes = () => {
    const chunks = raw.frames.filter((frame) => frame[16] === 2)
    return Buffer.concat(chunks.map((chunk) => chunk.subarray(37)))
  }
  await expect.poll(() => bytes().length).toBe(plan.size)
  expect(bytes().equals(await readFile(plan.path))).toBe(true)
  await expect(laptop.card(plan.name)).toHaveCount(1)
})

const STAYS_OUT = 'This page came without https, and cannot open it. Nothing was shared from here.'

test('e12 a page without https says so, and is a plain device whose files and texts arrive', async ({
  device,
  folder,
}) => {
  const { laptop, link } = await sealedBeam(device)
  const kiosk = await device('kiosk', { own: 'chromium', diskless: true })
  await laptop.sharesText('marmalade from Granada')
  await kiosk.opens(link.replace(/#.*/, '').replace('127.0.0.1', new URL(kiosk.origin).hostname))
  await expect(kiosk.page.getByText('Nothing on this page is encrypted')).toBeVisible()
  await pill(kiosk, 'Not encrypted')
  await kiosk.sharesText('from the kiosk')
  await laptop.sees('from the kiosk')
  await expect(laptop.card('from the kiosk').getByText('Not encrypted')).toBeVisible()
  const poster = await folder.file('poster.bin', 70_000)
  await kiosk.sharesFiles(poster)
  await laptop.takes(poster)
  expect(await laptop.savedSha256(poster)).toBe(poster.sha256)
  await kiosk.seesNothingOf('marmalade from Granada')
  await sendsItToo(laptop)
  await laptop.sharesText('for the kiosk')
  await kiosk.sees('for the kiosk')
})

test('e12 a page without https stays out of a beam whose link has a secret', async ({ device }) => {
  const laptop = await device('laptop')
  const link = await laptop.startsBeam()
  const kiosk = await device('kiosk', { own: 'chromium', diskless: true })
  let sockets = 0
  kiosk.page.on('websocket', () => {
    sockets += 1
  })
  await kiosk.opens(link.replace('127.0.0.1', new URL(kiosk.origin).hostname))
  await expect(kiosk.page.getByText(STAYS_OUT)).toBeVisible()
  await expect(kiosk.page.getByRole('button', { name: 'Paste' })).toHaveCount(0)
  await kiosk.page.reload()
  await expect(kiosk.page.getByText(STAYS_OUT)).toBeVisible()
  expect(sockets).toBe(0)
  await pill(laptop, 'Encrypted · 1 device')
})

test('e12 what the page says of its missing https leaves the list of devices to be read', async ({
  device,
}) => {
  const kiosk = await device('kiosk')
  // As browsers do where the page came without https.
  await kiosk.context.addInitScript(() => {
    Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })
  })
  await kiosk.startsBeam()
  await expect(kiosk.page.getByText('Nothing on this page is encrypted')).toBeVisible()
  await opensDevices(kiosk)
  // Nothing lies over the heading.
  await kiosk.page.getByRole('heading', { name: '1 device in this beam' }).click({ trial: true })
})

test('e13 where the operator wants it, nobody comes in by the id before a person says so', async ({
  device,
}) => {
  const server = await Server.start({ HELIOGRAPH_JOIN_POLICY: 'verify' })
  try {
    const laptop = await device('laptop')
    const other = await device('other')
    await laptop.page.goto(server.origin)
    const link = await laptop.scansOwnQr()
    await laptop.sharesText('marmalade from Granada')
    await other.opens(link.replace(/#.*/, ''))
    await opensDevices(laptop)
    await expect(laptop.page.getByText('Wants to come in')).toBeVisible()
    await expect(laptop.page.getByRole('switch', { name: /^Ask before letting devices in/ })).toBeDisabled()
    await other.seesNothingOf('marmalade from Granada')
    await laptop.page.getByRole('button', { name: 'They match, let it in' }).click()
    await other.sees('marmalade from Granada')
  } finally {
    await server.stop()
  }
})
