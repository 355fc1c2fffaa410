import { join } from 'node:path'
import { expect } from '@playwright/test'
import { MB, sha256Of } from '../support/files.ts'
import { test } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'
import { WebKitDevice } from '../support/webkit.ts'

test('a terminal and a browser without WebRTC give each other files through the server', async ({
  folder,
  server,
}) => {
  test.setTimeout(120_000)
  const copy = Terminal.runs(['copy', '--server', server.origin, '--text', 'hello, old browser'])
  const link = await copy.link()
  const eve = await WebKitDevice.start()
  try {
    await eve.opens(link)
    await eve.sees('hello, old browser')
    expect((await copy.ends()).code).toBe(0)

    const mine = await folder.file('from-webkit.bin', 8 * MB + 5)
    await eve.sharesFiles(mine)
    const into = join(folder.path, 'received')
    const receive = Terminal.runs(['receive', '--wait', '--into', into], link)
    expect(await receive.ends()).toEqual({ out: `${join(into, mine.name)}\n`, code: 0 })
    expect(await sha256Of(join(into, mine.name))).toBe(mine.sha256)

    const theirs = await folder.file('from-terminal.bin', 8 * MB + 7)
    const send = Terminal.runs(['send', '--once', theirs.path], link)
    await eve.takes(theirs)
    expect(await eve.savedSha256(theirs)).toBe(theirs.sha256)
    expect((await send.ends()).code).toBe(0)
  } finally {
    await eve.leaves()
  }
})
