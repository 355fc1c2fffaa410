/** The screens of rich notes. */
import { expect } from '@playwright/test'
import { opensNote } from './note.ts'
import { BOTH, createsNote, type Scene, writesNote } from './scene-steps.ts'

export const NOTE_SCENES: readonly Scene[] = [
  {
    name: 'note-editor-empty',
    on: BOTH,
    show: async (stage) => {
      await createsNote(stage)
    },
  },
  {
    name: 'note-editor',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.text.locator('img').click()
      await expect(editor.text.getByRole('button', { name: 'Alt' })).toBeVisible()
    },
  },
  {
    name: 'note-viewer',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.saves()
      await opensNote(stage.looker, 'Cabin weekend')
    },
  },
  {
    name: 'note-card',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.saves()
      await stage.looker.sees('Cabin weekend')
    },
  },
  {
    name: 'note-editor-table-menu',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.text.locator('td').first().click()
      await editor.tool('Table').click()
      await expect(editor.page.getByRole('button', { name: 'Insert row above' })).toBeVisible()
    },
  },
]
