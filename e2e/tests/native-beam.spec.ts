/** Many terminals and two pages in one beam, of which some vanish and come back. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { MB, sha256Of, type TestFile } from '../support/files.ts'
import { test } from '../support/stage.ts'
import { Terminal } from '../support/terminal.ts'

const DIRECT = ['--json', '--address', '127.0.0.1']
const WITHIN = { timeout: 90_000 }

/** A terminal that receives all that comes, and remembers it for the next run. */
class Receiver {
  readonly #folder: string
  readonly #link: string
  #terminal: Terminal

  constructor(folder: string, link: string) {
    this.#folder = folder
    this.#link = link
    this.#terminal = this.#begins()
  }

  #begins(): Terminal {
    const words = ['receive', ...DIRECT, '--stay', '--into', join(this.#folder, 'received')]
    return Terminal.runs(words, this.#link, { state: join(this.#folder, 'state') })
  }

  /** Vanishes in the middle of a file, and comes back. */
  async vanishes(): Promise<void> {
    await this.#terminal.prints('"state":"moving"', WITHIN)
    await this.#terminal.isKilled()
    this.#terminal = this.#begins()
  }

  async has(file: TestFile): Promise<void> {
    const path = join(this.#folder, 'received', file.name)
    await expect.poll(() => existsSync(path), WITHIN).toBe(true)
    expect(await sha256Of(path)).toBe(file.sha256)
  }

  async ends(): Promise<void> {
    await this.#terminal.isKilled()
  }
}

test('f20_eight_terminals_and_two_pages_all_get_what_two_of_them_share_though_some_vanish', async ({
  device,
  folder,
}) => {
  test.setTimeout(240_000)
  const [ada, bob] = [await device('Ada'), await device('Bob')]
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  const [film, song] = [await folder.file('film.bin', 8 * MB), await folder.file('song.bin', 5 * MB)]
  await ada.sharesFiles(film)
  await expect(bob.file(film)).toBeVisible()

  const receivers = [1, 2, 3, 4, 5, 6, 7].map((one) => new Receiver(join(folder.path, `${one}`), link))
  const send = Terminal.runs(['send', ...DIRECT, song.path], link)
  try {
    await ada.seesDevices(10, WITHIN)
    await bob.takes(film)
    await Promise.all(receivers.slice(0, 4).map((one) => one.vanishes()))
    for (const page of [ada, bob]) await page.takesUnlessBegun(song)
    for (const one of receivers) {
      await one.has(film)
      await one.has(song)
    }
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    for (const page of [ada, bob]) expect(await page.savedSha256(song)).toBe(song.sha256)
  } finally {
    for (const one of [...receivers, { ends: () => send.isKilled() }]) await one.ends()
  }
})
