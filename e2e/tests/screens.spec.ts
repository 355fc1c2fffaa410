import { fileURLToPath } from 'node:url'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import { SCENES } from '../support/scenes.ts'
import { test } from '../support/stage.ts'

const PICTURES = fileURLToPath(new URL('../results/screens/', import.meta.url))

for (const { name, on, show } of SCENES) {
  for (const size of on) {
    for (const colours of ['light', 'dark']) {
      const screen = `${name}-${size}-${colours}`
      test(`${screen} fits, and axe finds nothing serious`, async ({ device, folder }) => {
        const phone = size === 'phone'
        const looker = await device('Looker', { phone, dark: colours === 'dark' })
        await show({ device, folder, looker, phone })

        await looker.page.screenshot({ path: `${PICTURES}${screen}.png`, animations: 'disabled' })
        await expectNoSidewaysScroll(looker)
        await expectNothingSerious(looker)
      })
    }
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
