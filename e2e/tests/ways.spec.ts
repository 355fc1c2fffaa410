import { expect, type Locator } from '@playwright/test'
import { hasAccount, savesBeam, sharesBeam } from '../support/account.ts'
import { choosesFromBeamMenu } from '../support/beam-scenes.ts'
import { Device } from '../support/device.ts'
import { encrypted, seesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'

const dialog = (device: Device, name: string): Locator => device.page.getByRole('dialog', { name })

test('a small code in the corner opens the large one, by which another device joins', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)

  await ada.page.getByRole('button', { name: 'Show QR' }).click()
  await expect(dialog(ada, 'Add a device')).toBeVisible()
  expect(await ada.scansOwnQr()).toBe(link)
  await dialog(ada, 'Add a device').getByRole('button', { name: 'Copy', exact: true }).click()
  await ada.seesToast('Beam ID copied successfully')

  await choosesFromBeamMenu(bob, 'Show QR')
  expect(await bob.scansOwnQr()).toBe(link)
})

test('a short code is read out, typed on a phone, and joins', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await ada.startsBeam()
  await choosesFromBeamMenu(ada, 'Show QR')
  const large = dialog(ada, 'Add a device')
  await large.getByRole('button', { name: 'Show a short code' }).click()
  await expect(large.getByText(/^ends in (10:00|9:5\d)$/)).toBeVisible()
  const code = (await large.locator('strong').textContent()) ?? ''
  expect(code).toMatch(/^[A-HJKMNP-Z2-9]{3}-[A-HJKMNP-Z2-9]{3}$/)

  await bob.opensSpace()
  await bob.joinsByTyping('ZZZ-ZZZ')
  await bob.seesToast('This code is wrong or has ended.')
  await bob.enters(bob.page.getByRole('textbox', { name: 'Enter Beam ID' }), code.toLowerCase())
  await bob.seesToast('Joined Beam successfully')
  await seesInList(bob, 2)
})

test('a short code in the address joins, and /join opens the dialog for one', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const id = new URL(await ada.startsBeam()).searchParams.get('beam_id')
  const answer = await ada.context.request.post(`${ada.origin}/api/beams/${id}/code/`)
  const { code } = await answer.json()

  await bob.opens(`${bob.origin}/?beam_id=${code}`)
  await seesInList(bob, 2)
  await choosesFromBeamMenu(bob, 'Leave Beam')
  await bob.seesNoDialog()
  await bob.opens(`${bob.origin}/join`)
  await bob.enters(bob.page.getByRole('textbox', { name: 'Enter Beam ID' }), code)
  await seesInList(bob, 2)
})

test('an id where nobody is says so, and waits', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  const bob = await device('Bob', { phone: true })
  const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  await ada.opensHome()
  await ada.joinsByTyping(id)
  await ada.seesToast('Nobody is here yet.')
  await bob.opensSpace()
  await bob.joinsByTyping(id)
  await seesInList(ada, 2)
  await expect(ada.page.getByText('Nobody is here yet.')).toHaveCount(0)
})

test('leaving asks before something is lost, and a later visit does not come back by itself', async ({
  device,
}) => {
  const ada = await device('Ada', { phone: true })
  await ada.opensSpace()
  await ada.page.getByRole('button', { name: 'New Beam' }).click()
  await ada.seesDevices(1)
  await ada.opensHome()
  await ada.sharesText('a text that only this beam has')
  await ada.sees('a text that only this beam has')

  await choosesFromBeamMenu(ada, 'Leave Beam')
  const question = ada.page.getByRole('alertdialog', { name: 'Leave this beam?' })
  await expect(question).toContainText('No other device is here.')
  await question.getByRole('button', { name: 'Stay' }).click()
  await ada.sees('a text that only this beam has')

  await choosesFromBeamMenu(ada, 'Leave Beam')
  await question.getByRole('button', { name: 'Leave Beam' }).click()
  await expect(ada.page.getByRole('button', { name: 'Scan QR' })).toBeVisible()
  await ada.seesNoDialog()
  await ada.opensHome()
  await expect(ada.page.getByRole('button', { name: 'Scan QR' })).toBeVisible()
})

test('a joined phone makes a new beam, and finds the one before among the recent ones', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('the list for the trip')
  await bob.sees('the list for the trip')

  await choosesFromBeamMenu(bob, 'New Beam')
  await bob.seesNothingOf('the list for the trip')
  await bob.seesDevices(1)
  await choosesFromBeamMenu(bob, 'Recent beams')
  await dialog(bob, 'Recent beams')
    .getByRole('button', { name: /^[0-9a-f]{8}…/ })
    .click()
  await bob.sees('the list for the trip')
  await ada.seesDevices(2)
})

test('a beam is removed from the recent ones, and all are, and its keys go with it', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const links: string[] = []
  for (let at = 0; at < 2; at += 1) {
    links.push(await ada.startsBeam())
    await bob.opens(links[at] ?? '')
    // Only a device that is here can hand him the keys.
    await encrypted(bob, 2)
    await choosesFromBeamMenu(ada, 'New Beam')
    await ada.seesDevices(1)
    await ada.seesNoDialog()
  }
  await expect.poll(() => beamsWithKeys(bob)).toHaveLength(2)
  await choosesFromBeamMenu(bob, 'Leave Beam')
  await choosesFromBeamMenu(bob, 'Recent beams')
  const rows = dialog(bob, 'Recent beams').getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await rows
    .first()
    .getByRole('button', { name: /^Remove / })
    .click()
  const question = bob.page.getByRole('alertdialog')
  await expect(question).toContainText('nobody can read it any more')
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(rows).toHaveCount(1)
  await dialog(bob, 'Recent beams').getByRole('button', { name: 'Clear the list' }).click()
  await question.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(rows).toHaveCount(0)
  expect(await beamsWithKeys(bob)).toEqual([])
  const stored = await bob.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  for (const link of links) expect(stored).not.toContain(new URL(link).searchParams.get('beam_id'))
})

test('a beam that is open in another tab keeps its keys, and stays among the recent ones', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()
  await bob.opens(link)
  await bob.seesDevices(2)
  await ada.sharesText('the list for the trip')
  await bob.sees('the list for the trip')
  const other = await anotherTab(bob)
  await other.sees('the list for the trip')
  await choosesFromBeamMenu(other, 'New Beam')
  await choosesFromBeamMenu(other, 'Recent beams')
  const list = dialog(other, 'Recent beams')
  await list.getByRole('button', { name: 'Clear the list' }).click()
  await other.page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await other.seesToast('A beam that is open in another tab stays in the list. Leave it there first.')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  // By the id alone: what opens it are the keys that were there.
  await bob.opens(link.split('#')[0] ?? '')
  await bob.sees('the list for the trip')
})

/** Opens another tab of the same browser, which is in the same beam. */
async function anotherTab({ context, origin }: Device): Promise<Device> {
  const tab = new Device('Tab', await context.newPage(), origin, { phone: false, browser: 'chromium' })
  await tab.opensHome()
  return tab
}

/** The beams of which this browser has keys. */
function beamsWithKeys({ page }: Device): Promise<readonly unknown[]> {
  return page.evaluate(async () => {
    const answer = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await answer(indexedDB.open('heliograph-beam-keys'))
    const keys = await answer(database.transaction('beams').objectStore('beams').getAllKeys())
    database.close()
    return keys
  })
}

test('a device is renamed for all at once, in all beams, and items say who shared them', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await bob.page.getByRole('button', { name: '2 devices' }).click()
  await bob.page.getByRole('button', { name: 'Rename this device' }).click()
  const field = bob.page.getByRole('textbox', { name: 'Name of this device' })
  await bob.enters(field, "Mira's desk")
  await field.press('Enter')

  await ada.page.getByRole('button', { name: '2 devices' }).click()
  await expect(ada.page.getByRole('listitem').filter({ hasText: "Mira's desk" })).toBeVisible()
  await bob.page.keyboard.press('Escape')
  await bob.sharesText('from my desk')
  await expect(ada.card('from my desk')).toContainText("from Mira's desk")
  await expect(bob.card('from my desk')).toContainText('You')

  await bob.page.close()
  await ada.seesDevices(1)
  await expect(ada.card('from my desk')).toContainText("from Mira's desk")
})

test('what is sent to one device is seen by it and its sender alone, also after a reload', async ({
  device,
  folder,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const cyd = await device('Cyd')
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await cyd.opens(link)
  await ada.seesDevices(3)

  await ada.page.getByRole('button', { name: '3 devices' }).click()
  await ada.page.getByRole('button', { name: /^Send to .* 2$/ }).click()
  const sending = ada.page.getByRole('dialog', { name: /^Send to / })
  await ada.enters(sending.getByRole('textbox', { name: /^Message to / }), 'for Bob alone')
  await sending.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(ada.card('for Bob alone')).toContainText(/Only for .* 2\./)
  await expect(bob.card('for Bob alone')).toContainText('Only for you.')

  const file = await folder.file('keys.bin', 40_000)
  await ada.page.getByRole('button', { name: /^Send to .* 2$/ }).click()
  await sending.getByLabel(/^Files to /).setInputFiles(file.path)
  await bob.takes(file)
  expect(await bob.savedSha256(file)).toBe(file.sha256)

  await bob.page.reload()
  await bob.sees('for Bob alone')
  await ada.sharesText('for everybody')
  await cyd.sees('for everybody')
  await cyd.page.reload()
  await cyd.sees('for everybody')
  await cyd.seesNothingOf('for Bob alone')
  await cyd.seesNothingOf(file.name)

  // What everybody has is sent on to one device as a copy.
  await ada.card('for everybody').hover()
  await ada.card('for everybody').getByRole('button', { name: 'Send to one device' }).click()
  await ada.page
    .getByRole('dialog', { name: 'Send to one device' })
    .getByRole('button', { name: / 2$/ })
    .click()
  await expect(bob.card('for everybody')).toHaveCount(2)
  await expect(cyd.card('for everybody')).toHaveCount(1)

  await bob.page.close()
  await ada.seesDevices(2)
  await expect(ada.card('for Bob alone')).toContainText('which is not here now')
})

test('the owner shares a saved beam with people from inside it, and others have no way to', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await hasAccount(ada)
  const username = await hasAccount(bob)
  const link = await savesBeam(ada, 'Cabin', 'the key is under the stone')

  await choosesFromBeamMenu(ada, 'Share with people')
  await expect(dialog(ada, 'Share “Cabin”')).toBeVisible()
  await sharesBeam(ada, username, 'Read & Write')
  await ada.seesToast(`Beam shared successfully with ${username}`)

  await bob.opens(link)
  await bob.sees('the key is under the stone')
  await bob.page.getByRole('button', { name: 'Beam', exact: true }).click()
  await expect(bob.page.getByRole('menuitem', { name: 'Show QR' })).toBeVisible()
  await expect(bob.page.getByRole('menuitem', { name: 'Share with people' })).toHaveCount(0)
})
