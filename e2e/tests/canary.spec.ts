/** What a server has of a sealed beam, after everything that a person can share went through it: nothing that can be read. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Marks } from '../support/canary.ts'
import type { Folder } from '../support/files.ts'
import { NoteEditor } from '../support/note.ts'
import { cutDirectPaths } from '../support/paths.ts'
import { Overheard, sharesInClear } from '../support/sealing.ts'
import { freePort, Server } from '../support/server.ts'
import { type CallDevice, test } from '../support/stage.ts'

const MARKS = {
  text: 'kumquat-zulu-4711-oystercatcher',
  title: 'bergamot-yankee-1508-lapwing',
  note: 'pomelo-xray-2306-turnstone',
  'file name': 'citron-whiskey-9042-dunlin',
  bytes: 'yuzu-victor-3317-sanderling',
  folder: 'calamondin-uniform-6605-whimbrel',
  'name in a folder': 'tangelo-tango-7730-godwit',
}

/** Shares everything in a beam that the server keeps, so that it is stored too. Returns the link of the beam, and what went by. */
async function shareAll(
  server: Server,
  device: CallDevice,
  folder: Folder,
  sealed: boolean,
): Promise<{ link: string; traffic: readonly string[] }> {
  const laptop = await device('laptop')
  const other = await device('other')
  const overheard = [laptop, other].map(({ page }) => new Overheard(page))
  const said = () => overheard.flatMap((one) => one.said)
  if (!sealed) for (const one of [laptop, other]) await sharesInClear(one)
  await laptop.opens(server.origin)
  const link = await laptop.scansOwnQr()
  // Everything goes through the server.
  await cutDirectPaths(laptop.page)
  await other.opens(link)
  await laptop.sharesText(MARKS.text)
  await other.sees(MARKS.text)
  const editor = await NoteEditor.creates(laptop)
  await editor.title.fill(MARKS.title)
  await editor.text.fill(MARKS.note)
  await editor.page.getByRole('button', { name: 'Save' }).click()
  await other.sees(MARKS.title)
  const path = join(folder.path, `${MARKS['file name']}.bin`)
  await writeFile(path, `${MARKS.bytes} `.repeat(60_000))
  await laptop.picker().setInputFiles(path)
  await other.card(MARKS['file name']).getByRole('button', { name: 'Receive' }).click()
  await expect(other.card(MARKS['file name']).getByText('Complete')).toBeVisible()
  const packed = join(folder.path, MARKS.folder)
  await mkdir(packed)
  await writeFile(join(packed, `${MARKS['name in a folder']}.txt`), `${MARKS.bytes} `.repeat(2_000))
  await laptop.page.getByLabel('Choose folder').setInputFiles(packed)
  await other.sees(MARKS.folder)
  await other.card(MARKS.folder).getByRole('button', { name: 'Receive' }).click()
  await expect(other.card(MARKS.folder).getByText('Complete')).toBeVisible()
  // Who is alone is asked whether all of it is to be kept.
  await other.page.goto('about:blank')
  await laptop.page.getByRole('button', { name: 'Keep it for 24 h' }).click()
  if (sealed) await expect.poll(() => said().some((text) => text.includes('"e2k1.'))).toBe(true)
  else await expect(laptop.page.getByRole('button', { name: 'Keep it for 24 h' })).toHaveCount(0)
  // From now on the server stores everything, and a copy of each file.
  const stored = join(folder.path, `${MARKS['file name']} again.bin`)
  await writeFile(stored, `${MARKS.bytes} `.repeat(60_000))
  await laptop.picker().setInputFiles(stored)
  await expect.poll(async () => (await readdir(server.blobs).catch(() => [])).length).toBeGreaterThan(0)
  await expect(laptop.card(MARKS.folder).getByText('Stored')).toBeVisible()
  return { link, traffic: said() }
}

for (const sealed of [true, false]) {
  const name = sealed
    ? 'a server of a sealed beam has nothing of it in its memory, its files, its log, its metrics and its traffic'
    : 'the control: of a clear beam, the same search finds every mark'
  test(name, async ({ device, folder }) => {
    test.setTimeout(180_000)
    const metrics = `127.0.0.1:${await freePort()}`
    // It prints all that it ever would.
    const server = await Server.start({ HELIOGRAPH_METRICS: metrics, RUST_LOG: 'trace' })
    try {
      const { link, traffic } = await shareAll(server, device, folder, sealed)
      const secret = sealed && { 'secret of the link': Buffer.from(link.slice(-43), 'base64url') }
      const marks = new Marks({ ...MARKS, ...secret })
      const found = [...(await marks.within(server, `http://${metrics}/metrics`, traffic))]
      if (sealed) return expect(found).toEqual([])
      for (const mark of Object.keys(MARKS)) {
        expect(found).toContain(`traffic: ${mark} as text`)
        expect(
          found.filter((one) => /^(memory|files): /.test(one) && one.includes(`: ${mark} as`)),
        ).not.toEqual([])
      }
    } finally {
      await server.stop()
    }
  })
}

test('a mark is found in each form and at any place', () => {
  const [mark] = [MARKS.text]
  const forms = (before: string) => [
    mark,
    Buffer.from(before + mark).toString('base64'),
    Buffer.from(before + mark).toString('base64url'),
    Buffer.from(mark).toString('hex'),
    Buffer.from(mark).toString('hex').toUpperCase(),
    Buffer.from(mark, 'utf16le').toString('latin1'),
  ]
  for (const form of ['', 'x', 'xy', 'xyz'].flatMap(forms))
    expect(new Marks({ text: mark }).in('here', Buffer.from(`noise ${form} noise`, 'latin1')).size).toBe(1)
  expect(new Marks({ text: mark }).in('here', Buffer.from(mark.slice(1))).size).toBe(0)
})
