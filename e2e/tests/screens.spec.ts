import { fileURLToPath } from 'node:url'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import { SCENES } from '../support/scenes.ts'
import { test } from '../support/stage.ts'

const PICTURES = fileURLToPath(new URL('../results/screens/', import.meta.url))

// By itself each of them, or the other half of the machine waits at the end for the longest file of all.
test.describe.configure({ mode: 'parallel' })

// Some screens are those of three devices, each with a vault.
test.setTimeout(120_000)

// The steps to a screen take longer than looking at it: they are taken once for both colour schemes.
for (const { name, on, show } of SCENES) {
  for (const size of on) {
    const screen = `${name}-${size}`
    test(`${screen} fits, light and dark, and axe finds nothing serious`, async ({
      device,
      folder,
      server,
    }) => {
      const phone = size === 'phone'
      const looker = await device('Looker', { phone })
      await show({ device, folder, server, looker, phone })

      for (const colorScheme of ['light', 'dark'] as const) {
        await looker.page.emulateMedia({ colorScheme })
        await looker.page.screenshot({
          path: `${PICTURES}${screen}-${colorScheme}.png`,
          animations: 'disabled',
        })
        await expectNothingSerious(looker, colorScheme === 'light' ? 'all' : 'colours')
      }
      await expectNoSidewaysScroll(looker)
    })
  }
}

test('a window of 320 px loses nothing sideways', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.page.setViewportSize({ width: 320, height: 640 })
  await ada.opensSpace()
  await expectNoSidewaysScroll(ada)
  await ada.opensHome()
  await expectNoSidewaysScroll(ada)
})
