/** "Arrange for everyone": the notes lie in the same places on every device (S35). */
import { expect } from '@playwright/test'
import { drags, expectAt, middleOf, noteBoxes, plus, restsOn } from '../support/canvas.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

const switchOf = ({ page }: Device) => page.getByRole('button', { name: 'Arrange for everyone' })
const samePlaces = async (one: Device, other: Device) => {
  const places = async (device: Device) =>
    Object.fromEntries((await noteBoxes(device)).map(({ name, x, y }) => [name, { x, y }]))
  // On both they may still be changing.
  await expect(async () => expect(await places(other)).toEqual(await places(one))).toPass()
}

test(
  'moves, tidying up and new notes are the same for everybody while it is on',
  everywhere,
  async ({ device }) => {
    test.setTimeout(180_000)
    const ada = await device('Ada')
    const bob = await device('Bob')
    const link = await ada.startsBeam()
    await bob.opens(link)
    await ada.seesDevices(2)
    for (const text of ['Milk', 'Bread']) {
      await ada.sharesText(text)
      await bob.sees(text)
    }
    const before = await middleOf(bob, 'Milk')
    await drags(ada, await middleOf(ada, 'Milk'), { x: 60, y: 150 })
    await switchOf(ada).click()
    await expect(switchOf(bob)).toHaveAttribute('aria-pressed', 'true')
    await bob.seesToast('Notes lie in the same places for everybody now')
    await samePlaces(ada, bob)
    // A note glides to its place.
    await expect.poll(() => middleOf(bob, 'Milk')).not.toEqual(before)

    await restsOn(bob)
    const milk = await middleOf(bob, 'Milk')
    await drags(bob, milk, { x: -90, y: 40 })
    await restsOn(ada)
    await expectAt(ada, 'Milk', plus(milk, { x: -90, y: 40 }))
    await bob.page.keyboard.press('Control+z')
    await expectAt(ada, 'Milk', milk)

    await bob.sharesText('Lemons')
    await ada.sees('Lemons')
    await samePlaces(bob, ada)
    const carl = await device('Carl')
    await carl.opens(link)
    await carl.sees('Lemons')
    await samePlaces(ada, carl)

    await switchOf(carl).click()
    await expect(switchOf(ada)).toHaveAttribute('aria-pressed', 'false')
    const kept = await noteBoxes(ada)
    await drags(carl, await middleOf(carl, 'Milk'), { x: 100, y: 0 })
    await carl.sharesText('the last')
    await ada.sees('the last')
    expect((await noteBoxes(ada)).slice(0, 3)).toEqual(kept)
  },
)
