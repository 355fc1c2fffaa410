/** The screens about devices that do not seal, and about pages that came without https (E12). */
import { expect } from '@playwright/test'
import { RawClient } from './raw-client.ts'
import { BOTH, type Scene, type Stage } from './scene-steps.ts'
import { opensDevices, sharesInClear } from './sealing.ts'

/** A sealed beam with another device that seals and a plain one, which has shared a text. */
async function withAPlainDevice(stage: Stage): Promise<void> {
  const { looker, device } = stage
  const bob = await device('Bob')
  const [first, second] = stage.phone ? [bob, looker] : [looker, bob]
  const link = await first.startsBeam()
  await second.opens(link)
  await looker.seesDevices(2)
  const old = await RawClient.joinsPlain(link)
  await bob.sharesText('Oat milk, two lemons')
  old.send({ type: 'share_clipboard', message: 'Sent by an old app', extra: 'text' })
  await looker.sees('Sent by an old app')
}

/** Takes WebCrypto from the pages, as browsers do where they came without https. */
async function withoutHttps({ looker }: Stage): Promise<void> {
  await looker.context.addInitScript(() => {
    Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })
  })
}

export const PLAIN_SCENES: readonly Scene[] = [
  {
    name: 'item-in-clear',
    on: BOTH,
    show: async (stage) => {
      await withAPlainDevice(stage)
      await expect(stage.looker.page.getByText('Not encrypted').first()).toBeVisible()
    },
  },
  {
    name: 'plain-device',
    on: BOTH,
    show: async (stage) => {
      await withAPlainDevice(stage)
      await opensDevices(stage.looker)
      await expect(stage.looker.page.getByRole('button', { name: 'Also send to this device' })).toBeVisible()
    },
  },
  {
    name: 'plain-device-sent-to',
    on: BOTH,
    show: async (stage) => {
      await withAPlainDevice(stage)
      await opensDevices(stage.looker)
      await stage.looker.page.getByRole('button', { name: 'Also send to this device' }).click()
      await expect(
        stage.looker.page.getByRole('button', { name: 'Stop sending to this device' }),
      ).toBeVisible()
    },
  },
  {
    name: 'without-https',
    on: BOTH,
    show: async (stage) => {
      await withoutHttps(stage)
      const bob = await stage.device('Bob')
      await sharesInClear(bob)
      await stage.looker.opens(await bob.startsBeam())
      await expect(stage.looker.page.getByText('Nothing on this page is encrypted')).toBeVisible()
    },
  },
  {
    name: 'without-https-alone',
    on: ['desktop'],
    show: async (stage) => {
      await withoutHttps(stage)
      await stage.looker.startsBeam()
      await expect(stage.looker.page.getByText('Nothing on this page is encrypted')).toBeVisible()
    },
  },
  {
    name: 'without-https-and-with-a-secret',
    on: BOTH,
    show: async (stage) => {
      await withoutHttps(stage)
      const bob = await stage.device('Bob')
      await stage.looker.opens(await bob.startsBeam())
      await expect(
        stage.looker.page.getByText('This page came without https, and cannot open it.'),
      ).toBeVisible()
    },
  },
]
