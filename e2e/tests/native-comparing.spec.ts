/** A page and a terminal, of which one comes into the beam without its link (E8). */
import { expect } from '@playwright/test'
import { opensDevices, picturesOn } from '../support/sealing.ts'
import { test } from '../support/stage.ts'
import { namesIn, Terminal } from '../support/terminal.ts'

/** The id in a link, as it is typed or read out. */
const idIn = (link: string) => new URL(link).searchParams.get('beam_id') ?? ''

test('e8 a terminal comes in by the id, and takes nothing before both have compared the pictures', async ({
  device,
  server,
}) => {
  const ada = await device('Ada')
  const id = idIn(await ada.startsBeam())
  await ada.sharesText('from the page')
  await ada.sees('from the page')
  const bob = Terminal.runs(['join', '--verify', '--server', server.origin, id])
  await expect(ada.page.getByRole('button', { name: 'Not verified' })).toBeVisible()
  await opensDevices(ada)
  expect(namesIn((await picturesOn(ada)).join())).toBe(await bob.pictures())
  await ada.page.getByRole('button', { name: 'They match' }).click()
  await bob.says('type /match')
  bob.types('/match')
  await bob.prints(': from the page\n')
  expect((await bob.ends()).out).toMatch(/\(not verified\).*\(verified\).*from the page/s)
})

test('e8 a page that has typed the id is let in by a person at a terminal', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.sharesText('from the page')
  const bob = Terminal.runs(['join'], link)
  await bob.prints(': from the page\n')
  const late = await device('late')
  await late.opensHome()
  await late.joinsByTyping(idIn(link))
  await bob.says('wants to come in')
  const shown = late.page.getByRole('status').getByRole('listitem')
  const pictures = await bob.pictures()
  await expect.poll(async () => namesIn((await shown.allInnerTexts()).join())).toContain(pictures)
  bob.types('/match')
  await late.sees('from the page')
  await bob.prints('(verified)')
})
