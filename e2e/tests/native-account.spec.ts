import { expect } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import { test } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'
import { SECRET, setsUpVault } from '../support/vault.ts'

test('e18 a beam that a page has saved is opened by its name in a terminal, and texts go both ways', async ({
  device,
  server,
}) => {
  test.setTimeout(180_000)
  const ada = await device('Ada')
  await ada.opensHome()
  const username = await hasAccount(ada)
  await setsUpVault(ada)
  const link = await savesBeam(ada, 'Kitchen', 'from the page')
  const beam = /beam_id=([0-9a-f-]{36})/.exec(link)?.[1]
  const vault = `${ada.origin}/api/beams/${beam}/vault/`
  // Its keys come into the vault a moment later.
  await expect.poll(async () => (await (await ada.context.request.get(vault)).json()).keys).not.toBeNull()

  const at = ['--server', server.origin]
  const login = Terminal.runs(['login', ...at, '--username', username, '--password-stdin'])
  login.types(SECRET)
  expect((await login.ends()).code).toBe(0)
  expect((await Terminal.runs(['beams', ...at]).ends()).out).toContain('the server cannot read it')
  expect(await Terminal.runs(['paste', ...at, 'Kitchen']).ends()).toEqual({ out: 'from the page', code: 0 })

  const copy = Terminal.runs(['copy', ...at, '--to', 'Kitchen', '--text', 'from the terminal'])
  expect((await copy.ends()).code).toBe(0)
  await ada.sees('from the terminal')
  // And without any page that could let it in.
  await ada.leaves()
  expect((await Terminal.runs(['paste', ...at, 'Kitchen']).ends()).out).toBe('from the terminal')
  expect((await Terminal.runs(['logout', ...at]).ends()).code).toBe(0)
})
