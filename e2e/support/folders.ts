/** Folders for tests: made on the disk, dropped on a page, saved by it, and compared bit by bit. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Locator } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from './device.ts'

const run = promisify(execFile)

/** The files by path, and the folders without files by a path with a slash at its end and null. */
export type Tree = ReadonlyMap<string, string | null>

/** Names that systems, archives and programs are known to spoil. */
export const AWKWARD: Tree = new Map([
  ['.gitignore', 'hidden'],
  ['.config/.env', 'hidden as well'],
  ['leer/', null],
  ['tief/tiefer/am tiefsten/', null],
  // One letter, and a letter with an accent behind it.
  ['Caf\u00e9.txt', 'composed'],
  ['Cafe\u0301.txt', 'decomposed'],
  ['שלום/صورة.txt', 'from right to left'],
  ['👩‍👩‍👧 🏳️‍🌈.txt', 'emoji'],
  ['a.txt', 'small'],
  ['A.TXT', 'large'],
  ['CON', 'a device of Windows'],
  ['ends with a dot.', 'dot'],
  ['ends with a space ', 'space'],
  [' begins with one', 'space'],
  ['talk 10:30?.txt', 'characters that Windows refuses'],
  ['empty.txt', ''],
  [`${'ö'.repeat(125)}.txt`, '254 bytes'],
])

/** Writes a tree into a new folder. */
export async function makeTree(path: string, tree: Tree): Promise<void> {
  for (const [name, text] of tree) {
    const at = join(path, name)
    await mkdir(text === null ? at : join(at, '..'), { recursive: true })
    if (text !== null) await writeFile(at, text)
  }
}

/** Reads a folder as a tree. */
export async function readTree(path: string): Promise<Tree> {
  const found = new Map<string, string | null>()
  const read = async (inside: string) => {
    const entries = await readdir(join(path, inside), { withFileTypes: true })
    if (entries.length === 0 && inside !== '') found.set(inside, null)
    for (const entry of entries) {
      const at = `${inside}${entry.name}`
      if (entry.isDirectory()) await read(`${at}/`)
      else found.set(at, await readFile(join(path, at), 'utf8'))
    }
  }
  await read('')
  return found
}

/** A tree under a folder of this name, in an order that can be compared. */
export function under(name: string, tree: Tree): readonly (readonly [string, string | null])[] {
  return sorted(new Map([...tree].map(([path, text]) => [`${name}/${path}`, text])))
}

export function sorted(tree: Tree): readonly (readonly [string, string | null])[] {
  return [...tree].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Unpacks an archive by a program of its own. */
export async function unzip(archive: string, into: string): Promise<Tree> {
  await run('python3', ['-m', 'zipfile', '-t', archive])
  await run('python3', ['-m', 'zipfile', '-e', archive, into])
  return readTree(into)
}

/** Drops files and folders of the disk on the page, as from a file manager. Only Chromium's driver can. */
export async function dropsFromDisk(device: Device, ...paths: readonly string[]): Promise<void> {
  const driver = await device.context.newCDPSession(device.page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    driver.send('Input.dispatchDragEvent', { type, x: 700, y: 300, data })
  // A drop on what is being replaced at that moment goes nowhere.
  await expect(device.page.getByRole('list', { name: 'Shared items' })).toBeAttached()
  await drag('dragEnter')
  // The browser drops only where the page has said that it takes it.
  await expect(device.page.getByText(/^Drop to share/)).toBeVisible()
  await drag('dragOver')
  await drag('drop')
  await expect(device.page.getByText(/^Drop to share/)).toHaveCount(0)
  await driver.detach()
}

/** Drops a folder on the page by an event with entries like those of a browser, where the driver cannot drop. */
export async function dropsTree(device: Device, name: string, tree: Tree): Promise<void> {
  await device.page.evaluate(
    ([root, found]) => {
      interface Made {
        name: string
        inside: Map<string, Made>
        text: string | null
      }
      const top: Made = { name: root, inside: new Map(), text: null }
      for (const [path, text] of found) {
        let at = top
        for (const part of path.split('/').filter(Boolean)) {
          const next = at.inside.get(part) ?? { name: part, inside: new Map(), text: null }
          at.inside.set(part, next)
          at = next
        }
        at.text = text
      }
      const entryOf = ({ name, inside, text }: Made): object => ({
        name,
        isFile: text !== null,
        isDirectory: text === null,
        file: (done: (file: File) => void) => done(new File([text ?? ''], name)),
        createReader: () => {
          const left = [...inside.values()].map(entryOf)
          return { readEntries: (done: (part: object[]) => void) => done(left.splice(0, 100)) }
        },
      })
      const dataTransfer = {
        types: ['Files'],
        files: [],
        items: [{ webkitGetAsEntry: () => entryOf(top) }],
        dropEffect: 'copy',
      }
      const event = new Event('drop', { bubbles: true, cancelable: true })
      Object.assign(event, { dataTransfer, clientX: 700, clientY: 300 })
      document.body.dispatchEvent(event)
    },
    [name, [...tree]] as const,
  )
}

/** Presses what downloads an archive, and returns where it lies. Firefox's driver reports no downloads. */
export async function downloads(device: Device, press: Locator, into: string): Promise<string> {
  const path = join(into, `saved-${Date.now()}.zip`)
  if (device.page.context().browser()?.browserType().name() === 'chromium') {
    const coming = device.page.waitForEvent('download', { timeout: LARGE_FILE_MS })
    const [download] = await Promise.all([coming, press.click()])
    await download.saveAs(path)
    return path
  }
  const coming = device.page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        HTMLAnchorElement.prototype.click = async function (this: HTMLAnchorElement) {
          const bytes = new Uint8Array(await (await fetch(this.href)).arrayBuffer())
          resolve(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')))
        }
      }),
  )
  await press.click()
  await writeFile(path, Buffer.from(await coming, 'base64'))
  return path
}

/** Counts the archives on the page's own disk, from which the browser downloads them. */
export async function archivesOf(device: Device): Promise<number> {
  return await device.page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('archives')
    let count = 0
    for await (const _ of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) count += 1
    return count
  })
}

/** Lets the pickers of a page return a folder of its own disk, since no test can press those of the browser. */
export async function pretendPickers(device: Device): Promise<void> {
  await device.page.addInitScript(() => {
    const folder = async () =>
      (await navigator.storage.getDirectory()).getDirectoryHandle('picked', { create: true })
    Object.assign(window, {
      showDirectoryPicker: folder,
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
        (await folder()).getFileHandle(suggestedName, { create: true }),
    })
  })
}

/** SHA-256 of a file in the folder of `pretendPickers`. */
export async function pickedSha256(device: Device, name: string): Promise<string> {
  return await device.page.evaluate(async (name) => {
    const root = await navigator.storage.getDirectory()
    const file = await (await root.getDirectoryHandle('picked')).getFileHandle(name)
    const bytes = await (await file.getFile()).arrayBuffer()
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }, name)
}

/** Takes the pickers from a page, as in Firefox. */
export async function withoutPickers(device: Device): Promise<void> {
  await device.page.addInitScript(() => {
    for (const picker of ['showDirectoryPicker', 'showSaveFilePicker', 'showOpenFilePicker'])
      Reflect.deleteProperty(window, picker)
  })
}

/** Writes a tree into the folder that `pretendPickers` returns. */
export async function hasOnOwnDisk(device: Device, tree: Tree): Promise<void> {
  await device.page.evaluate(
    async (found) => {
      const root = await navigator.storage.getDirectory()
      const make = async (path: readonly string[]) => {
        let at = await root.getDirectoryHandle('picked', { create: true })
        for (const part of path) at = await at.getDirectoryHandle(part, { create: true })
        return at
      }
      for (const [path, text] of found) {
        const parts = path.split('/').filter(Boolean)
        const folder = await make(text === null ? parts : parts.slice(0, -1))
        const name = parts.at(-1)
        if (text === null || name === undefined) continue
        const file = await (await folder.getFileHandle(name, { create: true })).createWritable()
        await file.write(text)
        await file.close()
      }
    },
    [...tree],
  )
}

/** Reads what the page has saved into the folder of `pretendPickers`. */
export async function savedTree(device: Device): Promise<Tree> {
  const found = await device.page.evaluate(async () => {
    const all: [string, string | null][] = []
    const read = async (folder: FileSystemDirectoryHandle, path: string) => {
      let count = 0
      for await (const [name, entry] of (
        folder as unknown as { entries(): AsyncIterable<[string, FileSystemHandle]> }
      ).entries()) {
        count += 1
        if (entry.kind === 'directory') await read(entry as FileSystemDirectoryHandle, `${path}${name}/`)
        else all.push([`${path}${name}`, await (await (entry as FileSystemFileHandle).getFile()).text()])
      }
      if (count === 0 && path !== '') all.push([path, null])
    }
    const root = await navigator.storage.getDirectory()
    await read(await root.getDirectoryHandle('picked', { create: true }), '')
    return all
  })
  return new Map(found)
}
