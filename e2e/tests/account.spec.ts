import { expect } from '@playwright/test'
import { hasAccount, PASSWORD } from '../support/account.ts'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const button = ({ page }: Device, name: string) => page.getByRole('button', { name, exact: true })
const nav = ({ page }: Device) => page.getByRole('navigation', { name: 'Main' })

/** Expects a message below a field. */
const problem = async (device: Device, label: string, text: string) =>
  await expect(device.page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(text)

async function fills(device: Device, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await device.enters(device.page.getByLabel(label, { exact: true }), text)
  }
}

const someone = (username: string) => ({
  'First name': 'Mira',
  'Last name': 'Solberg',
  Username: username,
  Email: 'mira@solberg.example',
  Password: PASSWORD,
  'Confirm password': PASSWORD,
})

/** Submits a form, and tries again before the server has answered. */
async function sendsOnce(device: Device, label: string, meanwhile: string, path: string): Promise<void> {
  let calls = 0
  let answer = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  await device.page.route(`**${path}`, async (route) => {
    calls += 1
    await mayAnswer
    await route.continue()
  })
  await button(device, label).click()
  await expect(button(device, meanwhile)).toBeDisabled()
  await device.page.getByLabel('Username', { exact: true }).press('Enter')
  const answered = device.page.waitForResponse(`**${path}`)
  answer()
  await answered
  expect(calls).toBe(1)
}

const fresh = (name: string) => `${name}_${Date.now().toString(36)}${Math.floor(Math.random() * 1e6)}`

for (const phone of [false, true]) {
  const size = phone ? 'phone' : 'desktop'

  test(`a person registers, edits the profile and logs out on a ${size}`, async ({ device }) => {
    const mira = await device('Mira', { phone })
    const username = fresh('mira')
    await mira.opens(`${mira.origin}/login`)
    await mira.page.getByRole('main').getByRole('link', { name: 'Register' }).click()
    await mira.seesHeading('Create Account')
    await expectNothingSerious(mira)
    await fills(mira, someone(username))
    await button(mira, 'Create Account').click()
    await mira.seesToast('Registration successful!')
    await expect(mira.page).toHaveURL(`${mira.origin}/`)

    await nav(mira).getByRole('link', { name: 'Profile' }).click()
    await mira.seesHeading('Mira Solberg')
    await expect(mira.page.getByText(`@${username}`)).toBeVisible()
    await expectNothingSerious(mira)
    await button(mira, 'Edit Profile').click()
    await fills(mira, { 'Last name': 'Forgotten' })
    await button(mira, 'Cancel').click()
    await mira.seesHeading('Mira Solberg')
    await button(mira, 'Edit Profile').click()
    await expect(mira.page.getByLabel('Last name')).toHaveValue('Solberg')
    await fills(mira, { 'Last name': 'Berg' })
    await button(mira, 'Save Changes').click()
    await mira.seesToast('Profile updated successfully!')
    await mira.seesHeading('Mira Berg')
    await expectNoSidewaysScroll(mira)

    await nav(mira).getByRole('button', { name: 'Logout' }).click()
    await mira.seesToast('Logged out successfully')
    await expect(mira.page).toHaveURL(`${mira.origin}/login`)
    await expect(nav(mira).getByRole('link', { name: 'Register' })).toBeVisible()
    await mira.opens(`${mira.origin}/profile`)
    await mira.seesHeading('Sign In')
  })

  test(`the forms show the error of each field on a ${size}`, async ({ device }) => {
    const mira = await device('Mira', { phone })
    await mira.opens(`${mira.origin}/login`)
    await button(mira, 'Sign In').click()
    await problem(mira, 'Username', 'Username is required')
    await problem(mira, 'Password', 'Password is required')
    await expect(mira.page.getByLabel('Username')).toBeFocused()
    await fills(mira, { Username: 'mira', Password: '12345' })
    await button(mira, 'Sign In').click()
    await problem(mira, 'Password', 'Password must be at least 6 characters')
    await expectNothingSerious(mira)
    await fills(mira, { Password: 'not the password' })
    await button(mira, 'Sign In').click()
    await mira.seesToast('Invalid credentials')
    const atTheForm = mira.page.getByRole('main').getByRole('alert')
    await expect(atTheForm).toHaveText('Invalid credentials')
    await expectNothingSerious(mira)
    await fills(mira, { Password: 'another' })
    await expect(atTheForm).toHaveCount(0)

    await mira.opens(`${mira.origin}/register`)
    await button(mira, 'Create Account').click()
    for (const name of ['First name', 'Last name', 'Username', 'Email', 'Password']) {
      await problem(mira, name, `${name} is required`)
    }
    const taken = await hasAccount(await device('Other'))
    await fills(mira, { ...someone(taken), 'Confirm password': 'another one' })
    await button(mira, 'Create Account').click()
    await problem(mira, 'Confirm password', 'Passwords do not match')
    await fills(mira, { 'Confirm password': PASSWORD })
    await button(mira, 'Create Account').click()
    await expect(mira.page.getByLabel('Username')).toHaveAttribute('aria-invalid', 'true')
    await expect(mira.page.getByLabel('Username')).toBeFocused()
  })

  test(`an account is deleted with its password on a ${size}`, async ({ device }) => {
    const mira = await device('Mira', { phone })
    const username = await hasAccount(mira)
    await mira.opens(`${mira.origin}/profile`)
    await button(mira, 'Delete Account').click()
    const dialog = mira.page.getByRole('alertdialog', { name: 'Delete Account' })
    const confirm = dialog.getByRole('button', { name: 'Delete Account' })
    await expect(confirm).toBeDisabled()
    await mira.enters(dialog.getByLabel('Password', { exact: true }), '   ')
    await expect(confirm).toBeDisabled()
    await mira.enters(dialog.getByLabel('Password', { exact: true }), 'not the password')
    await confirm.click()
    await expect(dialog.getByLabel('Password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await expectNothingSerious(mira)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await button(mira, 'Delete Account').click()
    await expect(dialog.getByLabel('Password', { exact: true })).toHaveValue('')
    await mira.enters(dialog.getByLabel('Password', { exact: true }), PASSWORD)
    await confirm.click()
    await mira.seesToast('Account deleted successfully')
    await expect(mira.page).toHaveURL(`${mira.origin}/`)
    await mira.opens(`${mira.origin}/login`)
    await fills(mira, { Username: username, Password: PASSWORD })
    await button(mira, 'Sign In').click()
    await mira.seesToast('Invalid credentials')
  })
}

test('the pages of an account announce no beam', async ({ device }) => {
  const mira = await device('Mira')
  await mira.page.addInitScript(() => {
    const seen = { beaming: false }
    Object.assign(window, { seen })
    new MutationObserver(() => {
      seen.beaming ||= document.body?.textContent?.includes('Beaming') ?? false
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  const hasSeen = () => mira.page.evaluate(() => Reflect.get(window, 'seen').beaming)
  for (const path of ['/login', '/register']) {
    const welcomed = mira.page
      .waitForEvent('websocket')
      .then((socket) =>
        socket.waitForEvent('framereceived', ({ payload }) => `${payload}`.includes('welcome')),
      )
    await mira.opens(`${mira.origin}${path}`)
    await welcomed
    await mira.page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await hasSeen()).toBe(false)
  }
  await mira.opensHome()
  await expect.poll(hasSeen).toBe(true)
})

test('a login leads home, and features to come are announced', async ({ device }) => {
  const mira = await device('Mira')
  const username = await hasAccount(await device('Registrar'))
  await mira.opens(`${mira.origin}/login`)
  await button(mira, 'Forgot password?').click()
  await mira.seesToast('Coming soon!')
  await button(mira, 'Continue with GitHub').click()
  await mira.seesToast('Coming soon...')
  for (const feature of ['Lightning Fast', 'Easy Sharing', 'Cross Platform']) await mira.seesHeading(feature)
  await fills(mira, { Username: username.toUpperCase(), Password: PASSWORD })
  await button(mira, 'Show password').click()
  await expect(mira.page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
  await button(mira, 'Sign In').click()
  await mira.seesToast('Login successful!')
  await expect(mira.page).toHaveURL(`${mira.origin}/`)
  await mira.opens(`${mira.origin}/login`)
  await expect(mira.page).toHaveURL(`${mira.origin}/`)
})

test('a stale login is renewed without a message', async ({ device }) => {
  const mira = await device('Mira')
  await hasAccount(mira)
  await mira.opens(`${mira.origin}/profile`)
  await button(mira, 'Edit Profile').click()
  await mira.context.clearCookies({ name: 'access' })
  await fills(mira, { 'First name': 'Renewed' })
  await button(mira, 'Save Changes').click()
  await mira.seesToast('Profile updated successfully!')
})

test('the end of a login is shown once, and leads to the login page', async ({ device }) => {
  const mira = await device('Mira')
  await hasAccount(mira)
  await mira.opens(`${mira.origin}/profile`)
  await button(mira, 'Edit Profile').click()
  await mira.context.clearCookies()
  await fills(mira, { 'First name': 'Late' })
  const expired = 'Session expired. Please login again.'
  const said = await mira.page.evaluateHandle(rememberToasts, expired)
  await button(mira, 'Save Changes').click()
  await mira.seesToast(expired)
  await mira.seesHeading('Sign In')
  expect(await said.evaluate((ids) => ids.size)).toBe(1)
})

test('a form is sent once, and shows that it is being sent', async ({ device }) => {
  const mira = await device('Mira')
  const username = fresh('mira')

  await mira.opens(`${mira.origin}/register`)
  await fills(mira, someone(username))
  await sendsOnce(mira, 'Create Account', 'Creating account...', '/api/auth/register/')
  await mira.seesToast('Registration successful!')

  await mira.opens(`${mira.origin}/profile`)
  await button(mira, 'Edit Profile').click()
  await sendsOnce(mira, 'Save Changes', 'Saving...', '/api/auth/profile/')
  await mira.seesToast('Profile updated successfully!')

  await nav(mira).getByRole('button', { name: 'Logout' }).click()
  await mira.seesHeading('Sign In')
  await fills(mira, { Username: username, Password: PASSWORD })
  await sendsOnce(mira, 'Sign In', 'Signing in...', '/api/auth/login/')
  await mira.seesToast('Login successful!')
})

test('a picture is shown, made small, changed and refused', async ({ device }) => {
  const mira = await device('Mira')
  const username = fresh('mira')
  await mira.opens(`${mira.origin}/register`)
  const picker = mira.page.getByLabel('Profile picture')
  await picker.setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
  await mira.seesToast('Please select a valid image file (JPEG, PNG, or WebP)')
  await picker.setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(5_242_881) })
  await mira.seesToast('Image size must be less than 5MB')
  await picker.setInputFiles({ name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await mira.seesToast('Failed to read image file')
  await picker.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(1000, 500) })
  await expect(mira.page.getByAltText('Your profile')).toBeVisible()
  await button(mira, 'Remove picture').click()
  await expect(mira.page.getByAltText('Your profile')).toHaveCount(0)
  await fills(mira, someone(username))
  // A form that is sent at once waits until it is made small.
  await picker.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(1000, 500) })
  await button(mira, 'Create Account').click()
  await mira.seesToast('Registration successful!')

  await nav(mira).getByRole('link', { name: 'Profile' }).click()
  const picture = mira.page.getByRole('main').locator('img')
  await expect(picture).toHaveJSProperty('naturalWidth', 400)
  await expect(picture).toHaveJSProperty('naturalHeight', 200)
  const first = await picture.getAttribute('src')
  await mira.page
    .getByLabel('Change the picture')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(64, 64) })
  await mira.seesToast('Profile picture updated successfully!')
  await expect(picture).not.toHaveAttribute('src', first ?? '')
  await expect(picture).toHaveJSProperty('naturalWidth', 64)
})

/** Notes which toasts with this text are shown from now on. A repeated one replaces the one before, with another id. */
function rememberToasts(text: string): Set<string | undefined> {
  const ids = new Set<string | undefined>()
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll<HTMLElement>('[data-toast]')) {
      if (toast.textContent?.includes(text)) ids.add(toast.dataset.toast)
    }
  }).observe(document.body, { subtree: true, childList: true })
  return ids
}
