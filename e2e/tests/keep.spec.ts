import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const FORGOTTEN = /^What was shared here is no longer here\./

function card({ page }: Device) {
  return page.getByRole('region', { name: 'No other device is here' })
}

async function keeps(device: Device, time: '1 h' | '24 h'): Promise<void> {
  await card(device)
    .getByRole('button', { name: `Keep it for ${time}` })
    .click()
  await expect(card(device)).toHaveCount(0)
}

test('what one asks to keep is there for a phone that scans the code after everything else is gone', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.sharesText('Door code 4417')
  const plan = await folder.file('plan.bin', 40_000)
  await ada.sharesFiles(plan)
  await keeps(ada, '1 h')
  await expect(
    ada.page.getByRole('button', { name: /1 device · Kept until (?:[A-Z][a-z]{2} )?\d\d:\d\d/ }),
  ).toBeVisible()
  await expect(ada.card(plan.name).getByText('Complete')).toBeVisible()
  await ada.hasSentAll()
  await ada.context.close()
  await server.down()
  await server.up()

  const bob = await device('Bob', { phone: true })
  await bob.opens(link)

  await bob.sees('Door code 4417')
  expect(await bob.savedSha256(plan)).toBe(plan.sha256)
  await bob.page.getByRole('button', { name: '1 device · kept' }).click()
  await expect(bob.page.getByText(/^Kept until (?:[A-Z][a-z]{2} )?\d\d:\d\d$/)).toBeVisible()
  await expect(bob.page.getByRole('button', { name: 'Stop keeping' })).toHaveCount(0)
})

test('a beam that nobody asked to keep says that what was shared in it is gone', async ({
  device,
  server,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.sharesText('Door code 4417')
  await ada.hasSentAll()
  await ada.context.close()
  await server.down()
  await server.up()

  const [phone, desk] = [await device('Phone', { phone: true }), await device('Desk')]
  await phone.opens(link)
  await expect(phone.page.getByText(FORGOTTEN)).toBeVisible()
  await desk.opens(link)
  for (const looker of [phone, desk]) {
    await expect(looker.page.getByText(FORGOTTEN)).toBeVisible()
    await expectNothingSerious(looker)
    await expectNoSidewaysScroll(looker)
  }
  await desk.sharesText('new')
  await phone.sees('new')
  await expect(phone.page.getByText(FORGOTTEN)).toHaveCount(0)
})

test('everybody sees that a beam is kept, and who asked ends it', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('hi')
  await expect(card(ada)).toHaveCount(0)
  await bob.page.close()
  await keeps(ada, '24 h')
  const pill = ada.page.getByRole('button', { name: /1 device · Kept until [A-Z][a-z]{2} \d\d:\d\d/ })
  await pill.click()
  await ada.page.getByRole('button', { name: 'Stop keeping' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Stop keeping' }).click()

  await ada.seesToast('This beam is no longer kept.')
  await expect(card(ada)).toBeVisible()
  await card(ada).getByRole('button', { name: 'Do not keep it' }).click()
  await expect(card(ada)).toHaveCount(0)
  await ada.sees('hi')
})
