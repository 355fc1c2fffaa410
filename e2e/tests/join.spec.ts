import { expect } from '@playwright/test'
import { hasAccount } from '../support/account.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test('a phone joins by the QR code that a desktop shows', everywhere, async ({ device, server }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })

  await ada.opensHome()
  await ada.seesHeading('Scan the QR Code with your mobile phone to start sharing.')
  const link = await ada.scansOwnQr()
  expect(link).toMatch(new RegExp(`^${server.origin}/\\?beam_id=[0-9a-f-]{36}(#k=[\\w-]{43})?$`))

  await bob.opens(link)
  await bob.seesHeading('Start Sharing')
  await ada.seesHeading('Start Sharing')
  await ada.seesDevices(2)
})

test('a link joins and leaves the address bar clean, without a reload', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()

  let loads = 0
  bob.page.on('load', () => {
    loads += 1
  })
  await bob.opens(link)
  await bob.seesDevices(2)
  await expect(bob.page).toHaveURL((url) => !url.searchParams.has('beam_id'))
  expect(loads).toBe(1)
})

test('a second link leaves the first beam', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const cyd = await device('Cyd')
  const adas = await ada.startsBeam()
  const bobs = await bob.startsBeam()
  expect(adas).not.toBe(bobs)

  await cyd.opens(adas)
  await ada.seesDevices(2)
  await cyd.opens(bobs)
  await bob.seesDevices(2)
  await ada.seesDevices(1)
})

test('a typed id joins', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const id = new URL(await ada.startsBeam()).searchParams.get('beam_id') ?? ''

  await bob.opensSpace()
  await bob.joinsByTyping(id.toUpperCase())
  await bob.seesToast('Joined Beam successfully')
  await ada.seesDevices(2)
})

test('a pasted link joins', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const link = await ada.startsBeam()

  await bob.opensSpace()
  await bob.joinsByTyping(link)
  await bob.seesToast('Joined Beam successfully')
  await ada.seesDevices(2)
})

test('a text that is not an id joins nothing', async ({ device }) => {
  const bob = await device('Bob', { phone: true })

  await bob.opensSpace()
  // Version 1; the specification requires version 4.
  await bob.joinsByTyping('9b2f1c34-6f0e-11ee-b962-0242ac120002')
  await expect(bob.page.getByRole('dialog')).toBeVisible()
  await expect(bob.page.getByText('Joined Beam successfully')).toHaveCount(0)
})

test('copying gives the bare id, copying the link gives the link', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const clipboard = () => ada.page.evaluate(() => navigator.clipboard.readText())

  await ada.page.getByRole('button', { name: 'Copy', exact: true }).click()
  await ada.seesToast('Beam ID copied successfully')
  expect(await clipboard()).toBe(new URL(link).searchParams.get('beam_id'))

  await ada.page.getByRole('button', { name: 'Copy link' }).click()
  await expect.poll(clipboard).toBe(link)
})

test('a reload stays in the beam and keeps what was shared', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('still here')
  await bob.sees('still here')

  await bob.page.reload()
  await bob.seesDevices(2)
  await bob.sees('still here')
})

test('a device that was removed from an anonymous beam is offered a new one, and no login', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.page.getByRole('button', { name: '2 devices' }).click()
  await ada.page.getByRole('button', { name: /^Remove device / }).click()
  const question = ada.page.getByRole('alertdialog')
  // In a sealed beam the link changes by itself.
  await expect(question).toContainText(/make a new beam|needs the new one/)
  await question.getByRole('button', { name: 'Remove device' }).click()

  await bob.seesHeading('You cannot join this beam')
  const gone = bob.page.getByRole('main').filter({ hasText: 'This device was removed from it.' })
  await expect(gone).toBeVisible()
  await expect(gone.getByRole('link', { name: 'Login' })).toHaveCount(0)
  await gone.getByRole('button', { name: 'New Beam' }).click()
  await bob.seesDevices(1)
})

test('the list of devices says which one this is, and tells equal ones apart', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(bob, 'Maximiliana Wilhelmina Alexandra Konstantina Theodora')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await bob.page.getByRole('button', { name: '2 devices' }).click()
  const rows = bob.page.getByRole('region', { name: '2 devices in this beam' }).getByRole('listitem')
  const [first, second] = [rows.nth(0), rows.nth(1)]
  await expect(second).toContainText(/ on .+ 2This device · Maximiliana/)
  await expect(first).not.toContainText('This device')
  // The person's name is cut off at its end, and so never what stands before it.
  const name = second.getByText(/^This device/)
  expect(await name.evaluate((text) => text.scrollWidth > text.clientWidth)).toBe(true)
})
