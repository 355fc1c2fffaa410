import { expect } from '@playwright/test'
import { choosesFromBeamMenu } from '../support/beam-scenes.ts'
import { hasCanvas } from '../support/canvas.ts'
import { BACK, type Device } from '../support/device.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

/** The texts of the cards on the screen, in the order in which a reader hears them. */
async function texts({ page }: Device): Promise<string[]> {
  return await page.evaluate(() =>
    Array.from(
      document.querySelectorAll('article'),
      (card) => /item \d+|edited/.exec(card.textContent ?? '')?.[0] ?? '',
    ),
  )
}

test('what was shared before the server was killed is there for late joiners and after a reload', async ({
  device,
  server,
}) => {
  test.setTimeout(180_000)
  const ada = await device('Ada', { phone: true })
  const bob = await device('Bob', { phone: true })
  const link = await startsOnPhone(ada)
  await bob.opens(link)
  await ada.seesDevices(2)
  for (const text of ['item 1', 'item 2', 'item 3', 'item 4']) await ada.sharesText(text)
  await bob.sees('item 4')
  await bob.page.getByRole('article').filter({ hasText: 'item 2' }).first().waitFor()

  await server.dies()
  await ada.seesToast(/Reconnecting/)
  await bob.sharesText('item 5')
  await server.up()
  await ada.sees('item 5', BACK)

  const cleo = await device('Cleo', { phone: true })
  await cleo.opens(link)
  await cleo.sees('item 5')
  await expect.poll(() => texts(cleo)).toEqual(await texts(ada))
  expect((await texts(cleo)).toSorted()).toEqual(['item 1', 'item 2', 'item 3', 'item 4', 'item 5'])
  await bob.page.reload()
  await bob.sees('item 1')
  await expect.poll(() => texts(bob)).toEqual(await texts(ada))
})

/** Makes a beam on a phone and returns its link. */
async function startsOnPhone(ada: Device): Promise<string> {
  await ada.opensHome()
  await ada.page.getByRole('button', { name: 'New Beam' }).click()
  await ada.seesDevices(1)
  await choosesFromBeamMenu(ada, 'Show QR')
  const link = await ada.scansOwnQr()
  await ada.page.keyboard.press('Escape')
  return link
}

test('what was deleted while the server was down stays deleted, also for a device that slept', async ({
  device,
  server,
}) => {
  test.setTimeout(180_000)
  const [ada, bob, cleo] = [await device('Ada'), await device('Bob'), await device('Cleo')]
  const link = await ada.startsBeam()
  await bob.opens(link)
  await cleo.opens(link)
  await ada.seesDevices(3)
  for (const one of [ada, bob, cleo]) await hasCanvas(one)
  for (const text of ['item 1', 'item 2', 'item 3']) await ada.sharesText(text)
  await cleo.sees('item 3')
  await cleo.context.setOffline(true)
  await bob.card('item 2').click()
  await bob.page.keyboard.press('Delete')
  await ada.seesNothingOf('item 2')

  await server.dies()
  await ada.seesToast(/Reconnecting/)
  await ada.card('item 1').click()
  await ada.page.keyboard.press('Delete')
  await ada.seesNothingOf('item 1')
  await server.up()
  await ada.seesDevices(2, BACK)
  await bob.seesNothingOf('item 1', BACK)
  await cleo.context.setOffline(false)
  await ada.seesDevices(3, BACK)
  await cleo.seesNothingOf('item 2', BACK)
  await cleo.seesNothingOf('item 1', BACK)

  const dora = await device('Dora')
  await dora.opens(link)
  await dora.sees('item 3')
  for (const person of [ada, bob, cleo, dora]) {
    await person.seesNothingOf('item 1')
    await person.seesNothingOf('item 2')
    await person.sees('item 3')
  }
})

test.describe('items of a device that knows the wire alone', () => {
  // It reads and writes clear text.
  test.use({ clear: true })

  test('come back once each, in their order: sixty of them and an edit', async ({ device, server }) => {
    test.setTimeout(180_000)
    const ada = await device('Ada', { phone: true })
    const link = await startsOnPhone(ada)
    const other = await RawClient.joins(link)
    const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    for (let n = 1; n <= 60; n++)
      other.send({ type: 'share_clipboard', message: `item ${n}`, extra: 'text', id: id(n) })
    other.send({ type: 'share_clipboard', message: 'edited', extra: 'text', id: id(7) })
    const bob = await device('Bob', { phone: true })
    await bob.opens(link)
    await ada.seesDevices(3)
    // The edited one is among the older ones, which a phone draws when they are scrolled to.
    await bob.sees('item 60')

    await server.dies()
    await ada.seesToast(/Reconnecting/)
    await server.up()
    await ada.seesDevices(2, BACK)
    // A sign that both have told what they hold: it comes behind that.
    await ada.sharesText('item 61')
    await bob.sharesText('item 62')
    await ada.sees('item 62')
    await bob.sees('item 61')

    const witness = await RawClient.joins(link)
    witness.send({ type: 'sync', message: { after: null } })
    const { message } = (await witness.next('sync')) as { message: unknown }
    const { items } = message as { items: { message: string; from: string }[] }
    const unchanged = Array.from({ length: 60 }, (_, at) => `item ${at + 1}`).filter(
      (text) => text !== 'item 7',
    )
    expect(items.map((item) => item.message).slice(0, -2)).toEqual([...unchanged, 'edited'])
    expect(new Set(items.slice(0, -2).map(({ from }) => from)).size).toBe(1)
  })

  /** Hundreds of items need longer than the usual wait on a machine that does other things besides. */
  const MANY = { timeout: 60_000 }

  test('s29_a_late_joiner_sees_all_six_hundred_items_while_a_device_has_them', async ({ device }) => {
    test.setTimeout(180_000)
    const ada = await device('Ada', { phone: true })
    const link = await startsOnPhone(ada)
    const other = await RawClient.joins(link)
    const shares = (first: number, last: number) => {
      for (let n = first; n <= last; n++)
        other.send({ type: 'share_clipboard', message: `item ${n}`, extra: 'text' })
    }
    // The server keeps 500. A toast goes again, so the one more comes to a page that has drawn the others.
    shares(1, 500)
    await expect(ada.page.getByText('item 500').first()).toBeVisible(MANY)
    shares(501, 501)
    await expect(ada.page.getByText(/A saved beam keeps more/).first()).toBeVisible(MANY)
    shares(502, 600)
    await expect(ada.page.getByText('item 600').first()).toBeVisible(MANY)
    other.leaves()
    await ada.seesDevices(1)

    const bob = await device('Bob', { phone: true })
    await bob.opens(link)
    await bob.sees('item 600')
    const names = bob.page.getByRole('article')
    await expect(names).toHaveCount(600, MANY)
    await expect(bob.page.getByRole('article', { name: /item 1$/ })).toHaveCount(1)
  })
})
