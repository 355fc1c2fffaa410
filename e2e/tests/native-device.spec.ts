import { expect } from '@playwright/test'
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
