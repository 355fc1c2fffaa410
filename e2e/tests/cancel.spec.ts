import { expect } from '@playwright/test'
import { MB, type TestFile } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { type CallDevice, test } from '../support/stage.ts'
import { meetThroughServer } from '../support/through-server.ts'
import { Wire } from '../support/wire.ts'

const SIZE = 30 * MB

/** Ada's file on its way to Bob, so slowly that a person, or a test, can cancel while it moves. */
async function underWay(device: CallDevice, server: Server, wire: Wire, film: TestFile) {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await meetThroughServer(ada, bob, server, wire)
  await ada.sharesFiles(film)
  wire.slowsTo(MB)
  await bob.takes(film)
  await bob.reaches(film, 2)
  return { ada, bob }
}

test.describe('cancel', () => {
  test.setTimeout(180_000)

  test('the receiver cancels: the sender hears of it, the card can be taken again', async ({
    device,
    folder,
    server,
  }) => {
    const film = await folder.file('film.bin', SIZE)
    const wire = await Wire.to(server.origin)
    try {
      const { ada, bob } = await underWay(device, server, wire, film)

      await bob.cancels(film)
      await expect(ada.card(film.name).getByText(/cancel/i)).toBeVisible()
      wire.slowsTo(Number.POSITIVE_INFINITY)
      await bob.takes(film)
      expect(await bob.savedSha256(film)).toBe(film.sha256)
    } finally {
      await wire.close()
    }
  })

  test('the sender cancels: the receiver hears of it, has nothing complete, and may ask again', async ({
    device,
    folder,
    server,
  }) => {
    const film = await folder.file('film.bin', SIZE)
    const wire = await Wire.to(server.origin)
    try {
      const { ada, bob } = await underWay(device, server, wire, film)

      await ada.cancels(film)
      await expect(bob.card(film.name).getByText(/^Cancelled by /)).toBeVisible()
      await expect(ada.card(film.name).getByText('Cancelled', { exact: true })).toBeVisible()
      await expect(bob.card(film.name).getByRole('link', { name: 'Save' })).toHaveCount(0)
      await expect(bob.card(film.name).getByRole('progressbar')).toHaveCount(0)
      wire.slowsTo(Number.POSITIVE_INFINITY)
      await bob.takes(film)
      expect(await bob.savedSha256(film)).toBe(film.sha256)
      await expect(ada.card(film.name).getByText('Complete')).toBeVisible()
    } finally {
      await wire.close()
    }
  })
})
