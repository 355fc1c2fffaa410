import { join } from 'node:path'
import { expect } from '@playwright/test'
import { MB, sha256Of } from '../support/files.ts'
import { test } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'

test('a page and a terminal in one beam see what either shares', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.sharesText('from the page, before')
  await ada.sees('from the page, before')

  const bob = Terminal.runs(['join', '--name', 'Terminal of Bob'], link)
  await bob.prints(': from the page, before\n')
  await ada.seesDevices(2)
  bob.types('from the terminal 👋')
  await ada.sees('from the terminal 👋')
  await ada.sharesText('from the page, after')
  await bob.prints(': from the page, after\n')
  expect((await bob.ends()).code).toBe(0)
  await ada.seesDevices(1)
})

test('a page opens the link of a text that a script copies, and the script ends', async ({
  device,
  server,
}) => {
  const copy = Terminal.runs(['copy', '--server', server.origin, '--text', 'copied by a script'])
  const ada = await device('Ada')
  await ada.opens(await copy.link())
  await ada.sees('copied by a script')
  expect((await copy.ends()).code).toBe(0)
})

test('a script pastes the text that a page has shared last', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.sharesText('the first')
  await ada.sees('the first')
  await ada.sharesText('the last')
  await ada.sees('the last')
  expect(await Terminal.runs(['paste'], link).ends()).toEqual({ out: 'the last', code: 0 })
})

const everywhere = { tag: '@everywhere' }

test('a terminal receives the file that a page shares', everywhere, async ({ device, folder }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const film = await folder.file('film.bin', 12 * MB)
  await ada.sharesFiles(film)
  await expect(ada.file(film)).toBeVisible()

  const into = join(folder.path, 'received')
  const receive = Terminal.runs(['receive', '--into', into], link)
  expect(await receive.ends()).toEqual({ out: `${join(into, film.name)}\n`, code: 0 })
  expect(await sha256Of(join(into, film.name))).toBe(film.sha256)
})

test(
  'a page receives the file that a terminal sends, and the terminal ends',
  everywhere,
  async ({ device, folder, server }) => {
    const film = await folder.file('film.bin', 12 * MB)
    const send = Terminal.runs(['send', '--once', '--server', server.origin, film.path])
    const ada = await device('Ada')
    await ada.opens(await send.link())
    await ada.takesUnlessBegun(film)
    expect(await ada.savedSha256(film)).toBe(film.sha256)
    expect((await send.ends()).code).toBe(0)
  },
)
