/** What scenes are, and what several of them begin with. */
import { expect, type Locator } from '@playwright/test'
import { hasAccount, savesBeam } from './account.ts'
import type { Device } from './device.ts'
import type { Folder, TestFile } from './files.ts'
import { NoteEditor } from './note.ts'
import { png } from './png.ts'
import type { Server } from './server.ts'
import type { CallDevice } from './stage.ts'

export interface Stage {
  device: CallDevice
  folder: Folder
  server: Server
  /** The device under test, with the requested size and colours. */
  looker: Device
  phone: boolean
}

/** A screen in one of its states. */
export interface Scene {
  name: string
  on: readonly ('desktop' | 'phone')[]
  /** Takes the steps and asserts that the screen is shown. */
  show: (stage: Stage) => Promise<void>
}

export const BOTH = ['desktop', 'phone'] as const

/** Replaces the camera by one that shows a grey picture. Runs in the page, before its scripts. */
export function pretendCamera(): void {
  navigator.mediaDevices.getUserMedia = async () => {
    const desk = document.createElement('canvas')
    Object.assign(desk, { width: 640, height: 480 })
    const pen = desk.getContext('2d')
    if (pen) {
      pen.fillStyle = '#8a8378'
      pen.fillRect(0, 0, desk.width, desk.height)
    }
    return desk.captureStream(5)
  }
}

/** Saves a beam of the looker's account on another device. */
export async function hasSavedBeam({ device, looker }: Stage): Promise<{ desk: Device; link: string }> {
  const desk = await device('Desk')
  await hasAccount(desk)
  const link = await savesBeam(desk, 'Cabin weekend', 'Keys are with Jonas')
  await looker.context.addCookies(await desk.context.cookies())
  return { desk, link }
}

/** Creates a beam on the looker, and lets another device join. */
export async function joinedByAnother({ device, looker, phone }: Stage): Promise<Device> {
  const bob = await device('Bob')
  if (phone) {
    await looker.opens(await bob.startsBeam())
  } else {
    await bob.opens(await looker.startsBeam())
  }
  await looker.seesDevices(2)
  return bob
}

/** Creates a beam on the looker, and shares a text and a file while no other device is there. */
export async function aloneWithItems({ folder, looker, phone }: Stage): Promise<void> {
  if (phone) {
    await looker.opensSpace()
    await looker.page.getByRole('button', { name: 'New Beam' }).click()
    await looker.seesDevices(1)
    await looker.opensHome()
  } else {
    await looker.startsBeam()
  }
  await looker.sharesFiles(await folder.file('cabin-photos.zip', 40_000))
  await looker.sharesText('Door code for the cabin: 4417, then the green key.')
  await looker.sees('Door code')
}

/** Shares a text, a link, and files in both directions. */
export async function someItems({ folder, looker }: Stage, other: Device): Promise<void> {
  await other.sharesText('Milk, bread, two lemons')
  await other.sharesText('https://example.org/a/page?with=a#mark')
  const offered = await folder.file('holiday film.bin', 3_000_000)
  const taken = await folder.file('minutes.bin', 40_000)
  await other.sharesFiles(offered)
  await other.sharesFiles(taken)
  await looker.takes(taken)
  await looker.has(taken)
  await looker.sees('Milk, bread')
  await looker.sees('example.org')
  await looker.sees(offered.name)
}

/** Shares pictures together. */
export async function sharesPictures(device: Device, count: number): Promise<void> {
  const pictures = Array.from({ length: count }, (_, at) => ({
    name: `IMG_204${at}.png`,
    mimeType: 'image/png',
    buffer: png(320 + 40 * at, 240),
  }))
  await device.picker().setInputFiles(pictures)
}

/** Five files of several kinds, one of them with a long name. */
export async function severalFiles(folder: Folder): Promise<readonly TestFile[]> {
  return [
    await folder.file('minutes.pdf', 40_000),
    await folder.file('holiday film.bin', 3_000_000),
    await folder.file('Minutes of the long meeting in the cabin, second part.pdf', 12_000),
    await folder.file('cabin.zip', 1_200_000),
    await folder.file('list.txt', 300),
  ]
}

/** Puts the sheet away that shows what comes. */
export async function hidesSheet({ page }: Device): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Hide' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Opens the editor on an empty note in the looker's own beam. */
export async function createsNote({ looker, phone }: Stage): Promise<NoteEditor> {
  if (!phone) {
    await looker.startsBeam()
    return await NoteEditor.creates(looker)
  }
  await looker.opensSpace()
  await looker.page.getByRole('button', { name: 'New Beam' }).click()
  return await NoteEditor.creates(looker, 'space menu')
}

/** Writes a note with formatted words, a link, check boxes, a table and a picture. */
export async function writesNote(editor: NoteEditor): Promise<void> {
  await editor.titles('Cabin weekend')
  await editor.types('We meet on ', 'Control+b', 'Friday at 17:40', 'Control+b', ' in front of the station. ')
  await editor.types('The door code is in the mail of jonas@example.org. ')
  await editor.uses('Mark')
  await editor.types('The last bus up leaves at 19:05')
  await editor.uses('Mark')
  await editor.chooses('Text colour', 'Red')
  await editor.types(' without us', 'Enter')
  await editor.chooses('Text colour', 'Default')
  await editor.types('[x] Sleeping bags', 'Enter', 'Head torches', 'Enter', 'Enter')
  await editor.tool('Table').click()
  await editor.page.getByRole('button', { name: 'Insert table' }).click()
  for (const word of ['Who', 'Brings', 'Arrives', 'Mira', 'Coffee, map', '17:40', 'Jonas', 'Keys']) {
    await editor.types(word, 'Tab')
  }
  await editor.types('16:10', 'ArrowDown')
  await editor.picks('Sunrise.png', png(440, 236))
}

/** The looker shares a file and a picture, and looks at the file in the full view. */
export async function inFullView(
  { looker, phone }: Stage,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<Locator> {
  if (phone) {
    await looker.opensSpace()
    await looker.page.getByRole('button', { name: 'New Beam' }).click()
  } else await looker.startsBeam()
  await looker.picker().setInputFiles(file)
  await looker.sees(file.name)
  await looker.picker().setInputFiles({ name: 'view.png', mimeType: 'image/png', buffer: png(640, 400) })
  await looker.sees('view.png')
  if (!phone) await looker.card(file.name).hover()
  await looker.uses(looker.card(file.name), 'Full view')
  const view = looker.page.getByRole('dialog', { name: file.name })
  await expect(view).toBeVisible()
  return view
}
