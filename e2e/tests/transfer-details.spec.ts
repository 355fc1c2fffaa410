import { fileURLToPath } from 'node:url'
import { expect, type Locator } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'
import { meetThroughServer } from '../support/through-server.ts'
import { Wire } from '../support/wire.ts'

const PICTURES = fileURLToPath(new URL('../results/screens/', import.meta.url))

const details = ({ page }: Device): Locator => page.getByRole('dialog', { name: 'Details' })
const connections = (device: Device): Locator =>
  details(device).getByRole('table', { name: 'Connections now' })

async function looksRight(device: Device, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await device.page.emulateMedia({ colorScheme })
    await device.page.screenshot({ path: `${PICTURES}${name}-${colorScheme}.png`, animations: 'disabled' })
    await expectNothingSerious(device, colorScheme === 'light' ? 'all' : 'colours')
  }
  await expectNoSidewaysScroll(device)
}

test('the details of a slow transfer tell its speed and its way at both ends, and stay when it is over', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(180_000)
  const wire = await Wire.to(server.origin)
  try {
    const ada = await device('Ada')
    const bob = await device('Bob', { phone: true })
    const film = await folder.file('film.bin', 30 * MB)
    await meetThroughServer(ada, bob, server, wire)
    await ada.sharesFiles(film)
    // A minute, so that it still goes when both have looked at it.
    wire.slowsTo(0.5 * MB)
    await bob.takes(film)
    await bob.reaches(film, 5)

    await bob.uses(bob.card(film.name), 'Details')
    await ada.uses(ada.card(film.name), 'Details')
    for (const one of [ada, bob]) {
      await expect(connections(one).getByRole('rowheader', { name: 'via server' })).toBeVisible()
      await expect(connections(one).getByText(/^\d.* [kM]B\/s$/)).toBeVisible()
      await expect(details(one).getByRole('img', { name: /^Speed over 0:\d\d minutes/ })).toBeVisible()
    }
    await expect(details(bob).getByRole('heading', { name: /^From / })).toBeVisible()
    await expect(details(ada).getByRole('heading', { name: /^To / })).toBeVisible()
    await looksRight(ada, 'transfer-details-desktop')
    await looksRight(bob, 'transfer-details-phone')

    wire.slowsTo(Number.POSITIVE_INFINITY)
    await bob.page.keyboard.press('Escape')
    await expect(details(bob)).toBeHidden()
    await bob.has(film)
    await bob.uses(bob.card(film.name), 'Details')
    await expect(details(bob).getByText('via server', { exact: true }).first()).toBeVisible()
    for (const one of [bob, ada]) {
      await details(one).getByRole('button', { name: 'Compute SHA-256' }).click()
      await expect(details(one).getByText(`SHA-256 ${film.sha256}`)).toBeVisible()
    }
    await looksRight(bob, 'transfer-checksum-phone')
    await looksRight(ada, 'transfer-checksum-desktop')
  } finally {
    await wire.close()
  }
})

test('the details of a direct transfer name the kind of each connection', { tag: '@everywhere' }, async ({
  device,
  folder,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const film = await folder.file('film.bin', 20 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'Direct')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.has(film)

  await bob.uses(bob.card(film.name), 'Details')
  const kind = connections(bob).getByRole('rowheader', {
    name: /^(host|peer-reflexive|server-reflexive) UDP$/,
  })
  await expect(kind.first()).toBeVisible()
  await expect(details(bob).getByText(/^Direct( ×\d+)?$/)).toBeVisible()
  await bob.page.screenshot({ path: `${PICTURES}transfer-details-direct.png`, animations: 'disabled' })

  await details(bob).getByRole('button', { name: 'Copy for a bug report' }).click()
  await expect(details(bob).getByRole('button', { name: 'Copied' })).toBeVisible()
  await bob.page.keyboard.press('Escape')
  await expect(details(bob)).toBeHidden()
})
