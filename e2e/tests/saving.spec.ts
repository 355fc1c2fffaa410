import { expect } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, savesBeam, sharesBeam } from '../support/account.ts'
import { expectNothingSerious } from '../support/axe.ts'
import { test } from '../support/stage.ts'

for (const phone of [false, true]) {
  test(`a beam is saved once, under a name, on a ${phone ? 'phone' : 'desktop'}`, async ({ device }) => {
    const ada = await device('Ada', { phone })
    await hasAccount(ada)
    await ada.opensHome()
    if (phone) await ada.page.getByRole('button', { name: 'New Beam' }).click()
    const save = ada.page.getByRole('button', { name: 'Save', exact: true })
    await ada.seesDevices(1)
    await expect(save).toHaveCount(0)
    await ada.sharesText('Keys are with Jonas')
    await save.click()

    const dialog = ada.page.getByRole('dialog', { name: 'Save Beam' })
    const name = dialog.getByRole('textbox', { name: 'Beam Name' })
    const confirm = dialog.getByRole('button', { name: 'Save', exact: true })
    await expect(confirm).toBeDisabled()
    await name.fill('   ')
    await name.press('Enter')
    await expect(dialog.getByText('Please enter a beam name')).toBeVisible()
    await expectNothingSerious(ada)
    await name.fill('  Cabin weekend ')
    await confirm.click()
    await ada.seesToast('Beam saved successfully!')
    await expect(save).toHaveCount(0)

    await ada.seesNoDialog()
    await opensBeams(ada)
    await expect(ada.card('Cabin weekend')).toBeVisible()
  })
}

test('saving is not offered without an account, or after joining by a link', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(bob)
  await bob.opens(await ada.startsBeam())
  await ada.sharesText('Keys are with Jonas')
  await bob.sees('Keys are with Jonas')
  // Only now the page knows who he is.
  await expect(bob.page.getByRole('link', { name: 'Profile' })).toBeVisible()
  for (const person of [ada, bob]) {
    await expect(person.page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0)
  }
})

test('a saved beam has its notes after a restart of the server', async ({ device, server }) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'before it was saved')
  await ada.sharesText('after it was saved')
  await ada.sees('after it was saved')
  await server.down()
  await server.up()

  const bob = await device('Bob')
  await bob.opens(link)
  await bob.sees('before it was saved')
  await bob.sees('after it was saved')
})

test('a fresh visit creates a new beam, a link and a reload do not', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  await ada.page.reload()
  await ada.sees('Keys are with Jonas')
  await ada.opens(link)
  await ada.sees('Keys are with Jonas')
  expect(await ada.startsBeam()).not.toBe(link)
})

test('a person who may only read is told so and cannot share', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const bobsName = await hasAccount(bob)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  await opensBeams(ada)
  await opensSharing(ada, 'Cabin')
  await sharesBeam(ada, bobsName, 'Read Only')
  await ada.seesToast(`Beam shared successfully with ${bobsName}`)

  await bob.opens(link)
  await bob.sees('Keys are with Jonas')
  await bob.seesToast('You can only read in this beam')
  await expect(bob.page.getByRole('button', { name: 'Message', exact: true })).toHaveCount(0)
  await expect(bob.card('Keys are').getByRole('button', { name: 'Delete' })).toHaveCount(0)

  const level = ada.page.getByRole('combobox', { name: `Permission of ${bobsName}` })
  await level.selectOption('Read & Write')
  await bob.seesToast('You can share in this beam now.')
  await bob.sharesText('now I can')
  await bob.sees('now I can')

  await ada.page.getByRole('combobox', { name: 'Anyone with the link' }).selectOption('No Access')
  await ada.page.getByRole('button', { name: `Remove access for ${bobsName}` }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Remove Share' }).click()
  await bob.seesHeading('You cannot join this beam')
})

test("a person with write cannot delete another person's note", async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  await bob.opens(await savesBeam(ada, 'Cabin', 'Keys are with Jonas'))
  await bob.sees('Keys are with Jonas')
  await bob.card('Keys are').hover()
  await bob.card('Keys are').getByRole('button', { name: 'Delete' }).click()
  await bob.seesToast('Cannot delete beam note from UI (Update Soon)')
  await bob.sees('Keys are with Jonas')
})

test('the owner sees the devices and removes one', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  await hasAccount(bob)
  await bob.opens(await savesBeam(ada, 'Cabin', 'Keys are with Jonas'))
  await ada.seesDevices(2)
  await ada.page.getByRole('button', { name: '2 devices' }).click()
  await expect(ada.page.getByText('Bob Tester')).toBeVisible()
  await ada.page.getByRole('button', { name: /^Remove device / }).click()
  await expect(ada.page.getByRole('alertdialog')).toContainText('renew it under Share in My Beams')
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Remove device' }).click()
  await bob.seesHeading('You cannot join this beam')
  await ada.seesDevices(1)
})
