/** The note editor, with methods named after what people do. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, type Locator } from '@playwright/test'
import type { Device } from './device.ts'
import type { CallDevice } from './stage.ts'

const FIXTURES = new URL('../../client/src/features/editor/fixtures/', import.meta.url)

/** Returns clipboard HTML as a program writes it. */
export async function clipboardFixture(name: string): Promise<string> {
  return await readFile(fileURLToPath(new URL(`${name}.html.txt`, FIXTURES)), 'utf8')
}

export class NoteEditor {
  readonly device: Device
  readonly page: Locator

  private constructor(device: Device, heading: 'Create New Note' | 'Edit Note') {
    this.device = device
    this.page = device.page.getByRole('dialog', { name: heading })
  }

  /** Opens an empty note, from the toolbar of the desktop or from the Space Menu. */
  static async creates(device: Device, from: 'toolbar' | 'space menu' = 'toolbar'): Promise<NoteEditor> {
    if (from === 'toolbar') {
      await device.page.getByRole('button', { name: 'New note' }).click()
    } else {
      await device.page.getByRole('button', { name: 'Space Menu' }).click()
      await device.page.getByRole('menuitem', { name: 'Create' }).click()
    }
    return await NoteEditor.#opened(device, 'Create New Note')
  }

  static async edits(device: Device, note: string): Promise<NoteEditor> {
    await device.uses(device.card(note), 'Edit')
    return await NoteEditor.#opened(device, 'Edit Note')
  }

  static async #opened(device: Device, heading: 'Create New Note' | 'Edit Note'): Promise<NoteEditor> {
    // Keys without text reach only the window in front.
    await device.page.bringToFront()
    const editor = new NoteEditor(device, heading)
    await expect(editor.page.getByRole('heading', { name: heading })).toBeVisible()
    await expect(editor.text).toBeVisible()
    return editor
  }

  get title(): Locator {
    return this.page.getByRole('textbox', { name: 'Title' })
  }

  get text(): Locator {
    return this.page.getByRole('textbox', { name: 'Note' })
  }

  tool(name: string): Locator {
    return this.page.getByRole('toolbar').getByRole('button', { name, exact: true })
  }

  async titles(title: string): Promise<void> {
    await this.device.enters(this.title, title)
    await this.title.press('Enter')
    // Firefox has only one focused window, whichever window its driver types into.
    await expect.poll(() => this.text.evaluate((text) => text === document.activeElement)).toBe(true)
  }

  /** Types at the caret. */
  async types(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      if (KEYS.test(key)) await this.device.page.keyboard.press(key)
      else await this.device.page.keyboard.type(key)
    }
  }

  async uses(...tools: readonly string[]): Promise<void> {
    for (const name of tools) await this.tool(name).click()
  }

  /** Opens a tool and chooses an entry. */
  async chooses(tool: string, choice: string): Promise<void> {
    await this.tool(tool).click()
    await this.page
      .getByRole('dialog', { name: tool })
      .getByRole('button', { name: choice, exact: true })
      .click()
  }

  async setsSize(size: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Font size' }).selectOption(size)
  }

  async setsKind(kind: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Kind of text' }).selectOption(kind)
  }

  async picks(name: string, picture: Buffer): Promise<void> {
    await this.page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'image/png', buffer: picture })
    await expect(this.text.locator('img')).toHaveCount(1)
  }

  /** Puts HTML on the clipboard and pastes it by the keyboard. */
  async pastes(html: string): Promise<void> {
    await this.device.page.evaluate((copied) => {
      const onCopy = (event: ClipboardEvent) => {
        event.preventDefault()
        event.stopImmediatePropagation()
        event.clipboardData?.setData('text/html', copied)
        event.clipboardData?.setData('text/plain', 'plain')
      }
      window.addEventListener('copy', onCopy, { capture: true, once: true })
      document.execCommand('copy')
    }, html)
    await this.text.press('Control+v')
  }

  async saves(): Promise<void> {
    await this.page.getByRole('button', { name: /^(Save|Update)$/ }).click()
    await expect(this.page).toHaveCount(0)
    await this.device.seesNoDialog()
  }
}

const KEYS = /^(?:Control|Shift|Enter|Tab|Arrow|Home|End|Backspace|Delete|Escape)/

/** Opens a note in the viewer. */
export async function opensNote(device: Device, note: string): Promise<Locator> {
  await device.uses(device.card(note), 'Open')
  const page = device.page.getByRole('dialog', { name: 'Note' })
  await expect(page).toBeVisible()
  return page
}

/** The editor, open on a new note with a title. */
export async function startsNote(device: CallDevice): Promise<NoteEditor> {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Note')
  return editor
}
