/** A hostile server between two real browsers learns nothing, and what it makes up is refused or shown (E1 to E8, E14, E15). */
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { Hostile, type Message, spoilsTexts, withoutItems } from '../support/hostile.ts'
import { hasDirectLink } from '../support/paths.ts'
import { letsPhantomIn } from '../support/phantom.ts'
import { opensDevices } from '../support/sealing.ts'
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
  // It is told that its link is not valid where the server has changed what it asked with.
  const pill = phone.page.getByRole('button', { name: /^(Waiting to be let in|Link not valid any more)$/ })
  await expect(pill).toBeVisible()
  await expect(phone.page.getByText('marmalade')).toHaveCount(0)
}

/** A device asks another one for its list at most once in 30 s (E14). */
const TOLD = { timeout: 60_000 }

const isMissing = ({ page }: Device, text = '1 item missing') =>
  expect(page.getByRole('button', { name: text })).toBeVisible(TOLD)

const isWay = (op: string, { type, message }: Message) =>
  type === 'e2e' && (message as { op: string }).op === op

/** The laptop has changed a text, of which the phone was given both versions: `old` is the first, as it came. */
async function edited(device: CallDevice) {
  const beam = await joined(device)
  const { laptop, phone, here } = beam
  await laptop.sharesText('marmalade')
  await phone.sees('marmalade')
  const old = here.last('rec_clipboard')
  await edits(laptop, 'marmalade', 'quince')
  await phone.sees('quince')
  return { ...beam, old }
}

async function edits(device: Device, text: string, into: string): Promise<void> {
  await device.uses(device.card(text), 'Edit')
  const field = device.page.getByRole('textbox', { name: 'Text' })
  await device.enters(field, into)
  await field.press('Control+Enter')
}

// A test is a dozen steps of two devices, of which each may wait.
test.setTimeout(180_000)

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

  test('stay as they were edited last when an old version is put back @everywhere', async ({ device }) => {
    const { laptop, phone, here, old } = await edited(device)
    here.says({ ...old, seq: (here.last('rec_clipboard').seq ?? 0) + 1 })
    // What comes after it is shown after it.
    await laptop.sharesText('lemons')
    await phone.sees('lemons')
    await phone.sees('quince')
    await phone.seesNothingOf('marmalade')
  })

  test('are shown as they were edited last when an earlier version is held back until then @everywhere', async ({
    device,
  }) => {
    const { laptop, phone, here } = await joined(device)
    const held: Message[] = []
    here.toPage = (message) => {
      if (message.type !== 'rec_clipboard' || held.length > 0) return message
      held.push(message)
      return null
    }
    await laptop.sharesText('marmalade')
    await edits(laptop, 'marmalade', 'quince')
    await phone.sees('quince')
    here.says({ ...(held[0] as Message), seq: (here.last('rec_clipboard').seq ?? 0) + 1 })
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

  test('that were changed on their way do not open @everywhere', async ({ device }) => {
    const { laptop, phone, here } = await joined(device)
    here.toPage = spoilsTexts
    await laptop.sharesText('marmalade')
    await phone.sees(UNOPENED)
  })
})

test.describe('items that the server keeps from one device are shown as missing there', () => {
  const nothingIsMissing = ({ page }: Device) =>
    expect(page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible(TOLD)

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

test.describe('a device that is new', () => {
  /** A device that opens the link, and is given what the server makes of the items. */
  async function newcomer(device: CallDevice, link: string, given: (items: Message[]) => Message[]) {
    const late = await device('late')
    const server = await Hostile.before(late.page)
    server.toPage = (message) => {
      if (message.type !== 'sync') return message
      const page = message.message as { items: Message[] }
      return { ...message, message: { ...page, items: given(page.items) } }
    }
    await late.opens(link)
    return late
  }

  test('is given what was deleted: the others show that they lack it @everywhere', async ({ device }) => {
    const { laptop, phone, here, link } = await joined(device)
    await laptop.sharesText('marmalade')
    await phone.sees('marmalade')
    const { type: _, ...old } = here.last('rec_clipboard')
    await laptop.uses(laptop.card('marmalade'), 'Delete')
    await phone.seesNothingOf('marmalade')
    const late = await newcomer(device, link, (items) => [old as Message, ...items])
    await late.sees('marmalade')
    for (const one of [laptop, phone]) await isMissing(one)
  })

  test('is given an old version: it shows that it lacks the new one @everywhere', async ({ device }) => {
    const { link, old } = await edited(device)
    const late = await newcomer(device, link, (items) =>
      items.map((item) => ({ ...item, message: old.message })),
    )
    await late.sees('marmalade')
    await isMissing(late)
  })
})

test('a device that the server makes up is shown, and told nothing that it could open @everywhere', async ({
  device,
}) => {
  const { laptop, phone, there, here } = await joined(device)
  const made = { device_id: '21234567-89ab-8cde-8f01-23456789abcd', name: 'phone', caps: ['files', 'e2e1'] }
  const list = { ...there.last('authed_users') }
  list.message = [...(list.message as object[]), made]
  for (const server of [there, here]) server.says(list)
  for (const one of [laptop, phone])
    await expect(one.page.getByRole('button', { name: 'Encrypted · 3 devices' })).toBeVisible()
  const [id, key, proof] = [8, 65, 32].map((bytes) => Buffer.alloc(bytes, 7).toString('base64url'))
  there.says({ type: 'e2e', message: { op: 'join', id, key, proof }, extra: { from: made.device_id } })
  const told = () =>
    there.heard.filter(({ extra }) => (extra as { to?: string } | null)?.to === made.device_id)
  await expect.poll(() => told().some((message) => isWay('refused', message))).toBe(true)
  await laptop.sharesText('marmalade')
  await phone.sees('marmalade')
  // Of keys it is told one: the public key of the laptop, in an envelope.
  for (const message of told()) {
    if (message.type === 'signal') expect(message.message).toMatch(/^e2e1\./)
    else expect((message.message as { op: string }).op).toMatch(/^(refused|device)$/)
  }
})

test('a device that the server lets in first is shown as not verified on all devices @everywhere', async ({
  device,
}) => {
  const { laptop, phone, there, link } = await twoDevices(device)
  await letsPhantomIn(there, link)
  await phone.opens(link)
  const showsIt = async (one: Device) => {
    await expect(one.page.getByRole('button', { name: 'Not verified' })).toBeVisible()
    await opensDevices(one)
    const list = one.page.getByRole('list').filter({ hasText: 'This device' })
    await expect(list.locator(':scope > li')).toHaveCount(3)
    await expect(list.getByText('Not verified')).toBeVisible()
    await expect(
      one.page.getByText('Only devices that were let in can read what is shared here.'),
    ).toHaveCount(0)
  }
  for (const one of [laptop, phone]) await showsIt(one)
  await phone.page.reload()
  await showsIt(phone)
})

test('a device whose name the server changes is shown by the name that it has said itself @everywhere', async ({
  device,
}) => {
  const { laptop, phone, here } = await joined(device)
  here.toPage = (message) => {
    if (message.type !== 'authed_users') return message
    return { ...message, message: (message.message as object[]).map((one) => ({ ...one, name: 'Mallory' })) }
  }
  await opensDevices(laptop)
  await laptop.page.getByRole('button', { name: 'Rename this device' }).click()
  const field = laptop.page.getByRole('textbox', { name: 'Name of this device' })
  await laptop.enters(field, "Ada's desk")
  await field.press('Enter')
  const isShown = async () => {
    await opensDevices(phone)
    const list = phone.page.getByRole('list').filter({ hasText: 'This device' })
    await expect(list).toContainText("Ada's desk")
    await expect(list).not.toContainText('Mallory')
    await phone.page.keyboard.press('Escape')
    await phone.seesNoDialog()
  }
  await expect.poll(() => JSON.stringify(here.last('authed_users'))).toContain("Ada's desk")
  await isShown()
  // A page that was loaded again knows only what it is told.
  await phone.page.reload()
  await expect(phone.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
  await isShown()
})

for (const [what, spoilt] of [
  ['come from the server', () => ({ session: 'x', signal: { type: 'offer', sdp: 'v=0 of the server' } })],
  [
    'were changed',
    (text: string) => `${text.slice(0, -3)}${text.at(-3) === 'A' ? 'B' : 'A'}${text.slice(-2)}`,
  ],
] as const) {
  test(`signals that ${what} open no link: what is shared goes another way @everywhere`, async ({
    device,
  }) => {
    const { laptop, phone, there, here } = await twoDevices(device)
    const spoil: Hostile['toPage'] = (message) =>
      message.type === 'signal' ? { ...message, message: spoilt(String(message.message)) } : message
    here.toPage = spoil
    there.toPage = spoil
    await phone.opens(await laptop.scansOwnQr())
    await expect(laptop.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
    const signals = () => [...here.heard, ...there.heard].filter(({ type }) => type === 'signal')
    await expect.poll(() => signals().length).toBeGreaterThan(0)
    await laptop.sharesText('marmalade')
    await phone.sees('marmalade')
    for (const one of [laptop, phone]) expect(await hasDirectLink(one.page)).toBe(false)
    // Everything that a browser would need for a link is in envelopes.
    expect(signals().filter(({ message }) => !String(message).startsWith('e2e1.'))).toEqual([])
  })
}
