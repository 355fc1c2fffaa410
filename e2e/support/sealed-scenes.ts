/** The screens that speak of the encryption of a beam: devices that are compared, let in, or removed, and missing items. */
import { expect } from '@playwright/test'
import type { Device } from './device.ts'
import { Hostile, spoilsTexts, withoutItems } from './hostile.ts'
import { BOTH, type Scene, type Stage } from './scene-steps.ts'
import { encrypted, opensDevices, picturesOn } from './sealing.ts'

/** The id in a link, as it is typed or read out. */
const idIn = (link: string) => /beam_id=([0-9a-f-]{36})/.exec(link)?.[1] ?? ''

/** The looker and a phone are in a sealed beam by its link. */
async function twoByTheLink(stage: Stage): Promise<{ phone: Device; link: string }> {
  const { looker } = stage
  const phone = await stage.device('phone')
  const link = await phone.startsBeam()
  await looker.opens(link)
  await encrypted(phone, 2)
  await looker.seesDevices(2)
  await phone.sharesText('Oat milk, two lemons')
  await looker.sees('Oat milk, two lemons')
  return { phone, link }
}

/** A device has typed the id of a beam in which nobody else is but the one that made it. */
async function oneByTheId(maker: Device, typist: Device): Promise<void> {
  const id = idIn(await maker.startsBeam())
  await maker.sharesText('Oat milk, two lemons')
  await typist.opensHome()
  await typist.joinsByTyping(id)
  await typist.sees('Oat milk, two lemons')
}

/** The question whether a device is to be removed. */
async function asksToRemove({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: /^Remove device / }).click()
  await expect(page.getByRole('alertdialog')).toContainText('cannot read what is shared from now on')
}

export const SEALED_SCENES: readonly Scene[] = [
  {
    name: 'sealed-devices',
    on: BOTH,
    show: async (stage) => {
      await twoByTheLink(stage)
      await opensDevices(stage.looker)
      await expect(
        stage.looker.page.getByText('Only devices that were let in can read what is shared here.'),
      ).toBeVisible()
    },
  },
  {
    name: 'not-verified',
    on: BOTH,
    show: async (stage) => {
      await oneByTheId(await stage.device('maker'), stage.looker)
      await expect(stage.looker.page.getByRole('button', { name: 'Not verified' })).toBeVisible()
    },
  },
  {
    name: 'pictures-to-compare',
    on: BOTH,
    show: async (stage) => {
      await oneByTheId(await stage.device('maker'), stage.looker)
      await opensDevices(stage.looker)
      await picturesOn(stage.looker)
    },
  },
  {
    name: 'wants-to-come-in',
    on: BOTH,
    show: async (stage) => {
      const { link } = await twoByTheLink(stage)
      const late = await stage.device('late')
      await late.opensHome()
      await late.joinsByTyping(idIn(link))
      await opensDevices(stage.looker)
      await picturesOn(stage.looker)
      await expect(stage.looker.page.getByText('Wants to come in')).toBeVisible()
    },
  },
  {
    name: 'waits-to-be-let-in',
    on: BOTH,
    show: async (stage) => {
      const { looker } = stage
      const [maker, phone] = [await stage.device('maker'), await stage.device('phone')]
      const link = await maker.startsBeam()
      await phone.opens(link)
      await encrypted(maker, 2)
      await looker.opensHome()
      await looker.joinsByTyping(idIn(link))
      await expect(looker.page.getByRole('list', { name: 'Pictures to compare' })).toHaveCount(2)
    },
  },
  {
    name: 'asks-to-remove',
    on: ['desktop'],
    show: async (stage) => {
      const { looker } = stage
      const phone = await stage.device('phone')
      await phone.opens(await looker.startsBeam())
      await encrypted(looker, 2)
      await opensDevices(looker)
      await asksToRemove(looker)
    },
  },
  {
    name: 'removed',
    on: BOTH,
    show: async (stage) => {
      const { phone } = await twoByTheLink(stage)
      await opensDevices(phone)
      await asksToRemove(phone)
      await phone.page.getByRole('alertdialog').getByRole('button', { name: 'Remove device' }).click()
      await expect(stage.looker.page.getByText(/^This device was removed from/).first()).toBeVisible()
    },
  },
  {
    name: 'item-missing',
    on: BOTH,
    show: async (stage) => {
      const hostile = await Hostile.before(stage.looker.page)
      const { phone } = await twoByTheLink(stage)
      const { id: first } = hostile.last('rec_clipboard')
      hostile.toPage = withoutItems(({ id }) => id !== first)
      await phone.sharesText('What the server keeps')
      const missing = stage.looker.page.getByRole('button', { name: '1 item missing' })
      await expect(missing).toBeVisible({ timeout: 30_000 })
      await missing.click()
      await expect(stage.looker.page.getByRole('button', { name: 'Try again' })).toBeVisible()
    },
  },
  {
    name: 'item-unopened',
    on: BOTH,
    show: async (stage) => {
      const hostile = await Hostile.before(stage.looker.page)
      const { phone } = await twoByTheLink(stage)
      hostile.toPage = spoilsTexts
      await phone.sharesText('What the server changes')
      await stage.looker.sees('This item could not be opened on this device.')
    },
  },
]
