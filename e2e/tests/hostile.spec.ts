/** A hostile server between two real browsers learns nothing, and what it makes up is refused or shown (E1 to E8, E14). */
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { Hostile, type Message, spoilsTexts, withoutItems } from '../support/hostile.ts'
import { seals } from '../support/sealing.ts'
import { type CallDevice, test } from '../support/stage.ts'

const UNOPENED = 'This item could not be opened on this device.'

interface Beam {
  readonly laptop: Device
  readonly phone: Device
  /** Before the laptop. */
  readonly there: Hostile
  /** Before the phone. */
  readonly here: Hostile
  readonly link: string
}

/** A laptop with a beam, and a phone that has not opened its link yet. */
async function twoDevices(device: CallDevice): Promise<Beam> {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  for (const one of [laptop, phone]) await seals(one)
  const there = await Hostile.before(laptop.page)
  const here = await Hostile.before(phone.page)
  return { laptop, phone, there, here, link: await laptop.startsBeam() }
}

async function joined(device: CallDevice): Promise<Beam> {
  const beam = await twoDevices(device)
  await beam.phone.opens(beam.link)
  await expect(beam.laptop.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
  await expect(beam.phone.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
  return beam
}

/** The phone has asked for so long that the laptop has answered at least once, and is still not in. */
async function staysOut({ phone, there }: Beam): Promise<void> {
  await expect.poll(() => there.heard.filter(({ type }) => type === 'e2e').length).toBeGreaterThan(1)
  await expect(phone.page.getByRole('button', { name: 'Waiting to be let in' })).toBeVisible()
  await expect(phone.page.getByText('marmalade')).toHaveCount(0)
}

const isWay = (op: string, { type, message }: Message) =>
  type === 'e2e' && (message as { op: string }).op === op

/** The laptop has changed a text, of which the phone was given both versions: `old` is the first, as it came. */
async function edited(device: CallDevice) {
  const beam = await joined(device)
  const { laptop, phone, here } = beam
  await laptop.sharesText('marmalade')
  await phone.sees('marmalade')
  const old = here.last('rec_clipboard')
  await laptop.uses(laptop.card('marmalade'), 'Edit')
  const field = laptop.page.getByRole('textbox', { name: 'Text' })
  await laptop.enters(field, 'quince')
  await field.press('Control+Enter')
  await phone.sees('quince')
  return { ...beam, old }
}

test.describe('joining by the link', () => {
  test('a key that the server put in is not welcomed @everywhere', async ({ device }) => {
    const beam = await twoDevices(device)
    await beam.laptop.sharesText('marmalade')
    const key = Buffer.alloc(65, 7).toString('base64url')
    beam.here.fromPage = (message) =>
      isWay('join', message) ? { ...message, message: { ...(message.message as object), key } } : message
    await beam.phone.opens(beam.link)
    await staysOut(beam)
    expect(beam.there.heard.some((message) => isWay('welcome', message))).toBe(false)
  })

  test('a welcome that the server made up opens nothing @everywhere', async ({ device }) => {
    const beam = await twoDevices(device)
    await beam.laptop.sharesText('marmalade')
    beam.here.toPage = (message) => {
      if (!isWay('welcome', message)) return message
      const sealed = Buffer.alloc(300, 7).toString('base64url')
      return { ...message, message: { ...(message.message as object), sealed } }
    }
    await beam.phone.opens(beam.link)
    await staysOut(beam)
  })

  test('nobody falls back to clear text where the server says that no device seals @everywhere', async ({
    device,
  }) => {
    const beam = await twoDevices(device)
    const strip: Hostile['toPage'] = (message) => {
      if (message.type !== 'authed_users') return message
      const devices = (message.message as { caps: string[] }[]).map((one) => ({
        ...one,
        caps: one.caps.filter((cap) => cap !== 'e2e1'),
      }))
      return { ...message, message: devices }
    }
    beam.here.toPage = strip
    beam.there.toPage = strip
    await beam.phone.opens(beam.link)
    await expect(beam.phone.page.getByRole('button', { name: 'Waiting to be let in' })).toBeVisible()
    await beam.phone.sharesText('quince from Murcia')
    await beam.laptop.sharesText('marmalade')
    await beam.laptop.sees('marmalade')
    await expect.poll(() => beam.there.heard.some(({ type }) => type === 'share_clipboard')).toBe(true)
    for (const { heard } of [beam.here, beam.there]) {
      expect(JSON.stringify(heard)).not.toMatch(/quince|marmalade/)
    }
  })
})

test.describe('items', () => {
  test('of another id are shown as ones that do not open @everywhere', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    await laptop.sharesText('marmalade')
    await phone.sees('marmalade')
    const item = here.last('rec_clipboard')
    here.says({ ...item, id: '01234567-89ab-4cde-8f01-23456789abcd', seq: (item.seq ?? 0) + 1 })
    await phone.sees(UNOPENED)
    await phone.sees('marmalade')
  })

  test('stay as they were edited last when an old version is put back', async ({ device }) => {
    const { laptop, phone, here, old } = await edited(device)
    here.says({ ...old, seq: (here.last('rec_clipboard').seq ?? 0) + 1 })
    // What comes after it is shown after it.
    await laptop.sharesText('lemons')
    await phone.sees('lemons')
    await phone.sees('quince')
    await phone.seesNothingOf('marmalade')
  })

  test('stay when the server says that they were deleted @everywhere', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    await laptop.sharesText('marmalade')
    await phone.sees('marmalade')
    const { message, id } = here.last('rec_clipboard')
    const named = id === undefined ? {} : { id }
    here.says({ type: 'delete_note', message, ...named })
    here.says({ type: 'delete_note', message, extra: String(message), ...named })
    here.says({ type: 'delete_note', message })
    await laptop.sharesText('lemons')
    await phone.sees('lemons')
    await phone.sees('marmalade')
  })

  test('are of the device that shared them, whatever the server says @everywhere', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    const { device_id } = here.last('welcome').message as { device_id: string }
    here.toPage = (message) => (message.type === 'rec_clipboard' ? { ...message, from: device_id } : message)
    await laptop.sharesText('marmalade')
    await expect(phone.card('marmalade').locator('[data-byline]')).toContainText('from ')
  })

  test('that were changed on their way do not open', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    here.toPage = spoilsTexts
    await laptop.sharesText('marmalade')
    await phone.sees(UNOPENED)
  })
})

test.describe('items that the server keeps from one device are shown as missing there', () => {
  const isMissing = ({ page }: Device, text = '1 item missing') =>
    expect(page.getByRole('button', { name: text })).toBeVisible({ timeout: 30_000 })
  const nothingIsMissing = ({ page }: Device) =>
    expect(page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible({ timeout: 30_000 })

  test('when it is live, until the person tries again and the server gives them @everywhere', async ({
    device,
  }) => {
    const { laptop, phone, here } = await joined(device)
    here.toPage = withoutItems(() => true)
    await laptop.sharesText('marmalade')
    await isMissing(phone)
    await phone.seesNothingOf('marmalade')
    await laptop.sharesText('quince')
    await isMissing(phone, '2 items missing')
    await nothingIsMissing(laptop)
    here.toPage = (message) => message
    await phone.page.getByRole('button', { name: '2 items missing' }).click()
    await phone.page.getByRole('button', { name: 'Try again' }).click()
    await expect(phone.page.getByRole('heading', { name: '2 items missing' })).toHaveCount(0)
    await phone.page.keyboard.press('Escape')
    await phone.sees('marmalade')
    await phone.sees('quince')
    await nothingIsMissing(phone)
  })

  test('when it was reloaded, until they are deleted @everywhere', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    await laptop.sharesText('marmalade')
    await laptop.sharesText('quince')
    await phone.sees('marmalade')
    const { id } = here.heard.find(({ type }) => type === 'rec_clipboard') ?? {}
    here.toPage = withoutItems((item) => item.id === id)
    await phone.page.reload()
    await phone.sees('quince')
    await isMissing(phone)
    await phone.seesNothingOf('marmalade')
    await nothingIsMissing(laptop)
    await laptop.uses(laptop.card('marmalade'), 'Delete')
    await nothingIsMissing(phone)
  })

  test('when it was reloaded and gets an old version @everywhere', async ({ device }) => {
    const { laptop, phone, here, old } = await edited(device)
    here.toPage = (message) => {
      if (message.type !== 'sync') return message
      const page = message.message as { items: Message[] }
      const items = page.items.map((item) => ({ ...item, message: old.message }))
      return { ...message, message: { ...page, items } }
    }
    await phone.page.reload()
    await phone.sees('marmalade')
    await isMissing(phone)
    await nothingIsMissing(laptop)
  })
})

test('signals that were changed, or come from the server, open no link: what is shared goes another way', async ({
  device,
}) => {
  const { laptop, phone, there, here } = await twoDevices(device)
  const spoil: Hostile['toPage'] = (message) => {
    if (message.type !== 'signal') return message
    const offer = { session: 'x', signal: { type: 'offer', sdp: 'v=0 of the server' } }
    return { ...message, message: offer }
  }
  here.toPage = spoil
  there.toPage = spoil
  await phone.opens(await laptop.scansOwnQr())
  await expect(laptop.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
  await expect.poll(() => [...here.heard, ...there.heard].some(({ type }) => type === 'signal')).toBe(true)
  await laptop.sharesText('marmalade')
  await phone.sees('marmalade')
  // Everything that a browser would need for a link is in envelopes.
  const signals = [...here.heard, ...there.heard].filter(({ type }) => type === 'signal')
  expect(signals.filter(({ message }) => !String(message).startsWith('e2e1.'))).toEqual([])
})
