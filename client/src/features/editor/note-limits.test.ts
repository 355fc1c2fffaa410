// @vitest-environment jsdom
import { createEmptyHistoryState, registerHistory } from '@lexical/history'
import { $createTableNodeWithDimensions } from '@lexical/table'
import {
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  $insertNodes,
  createEditor,
  UNDO_COMMAND,
} from 'lexical'
import { beforeEach, describe, expect, it } from 'vitest'
import { readNoteState } from '../../protocol/note-state'
import { bodyText, MAX_NOTE_STATE_BYTES } from '../../protocol/rich-note'
import { $createImageNode } from './image-node'
import { NoteLimitError, registerNoteLimits } from './note-limits'
import { NOTE_NODES } from './note-node-list'

let editor: ReturnType<typeof createEditor>
let said: string[]

beforeEach(() => {
  said = []
  editor = createEditor({
    nodes: NOTE_NODES,
    onError(error) {
      if (!(error instanceof NoteLimitError)) throw error
      said.push(error.message)
    },
  })
  editor.setRootElement(document.createElement('div'))
})

const change = ($change: () => void) => editor.update($change, { discrete: true })
const $write = (text: string) => $getRoot().append($createParagraphNode().append($createTextNode(text)))
const $sheet = (rows: number, columns: number) =>
  $getRoot().append($createTableNodeWithDimensions(rows, columns))
/** The content that would be saved. */
const saved = () => {
  const root = readNoteState(editor.getEditorState().toJSON())
  return root && bodyText(root)
}
/** The text on the screen. */
const shown = () => editor.getRootElement()?.textContent

describe('the limits of a note', () => {
  it('refuse a pasted sheet beyond them, and leave the content', () => {
    registerNoteLimits(editor)
    change(() => $write('before'))
    change(() => $sheet(150, 50))
    expect(said).toEqual([expect.stringContaining('128 KiB')])
    expect(saved()).toBe('before')
    expect(shown()).toBe('before')
  })

  it('allow further changes after a refusal', () => {
    registerNoteLimits(editor)
    change(() => $sheet(150, 50))
    change(() => $write('after'))
    expect(saved()).toBe('after')
    expect(shown()).toBe('after')
  })

  it('allow a sheet that fits', () => {
    registerNoteLimits(editor)
    change(() => $sheet(10, 5))
    expect(said).toEqual([])
    expect(saved()).not.toBeNull()
  })

  it('refuse content that others could not read, whatever its size', () => {
    registerNoteLimits(editor)
    change(() => $write('before'))
    change(() => $insertNodes([$createImageNode({ src: '', altText: 'x'.repeat(2001) })]))
    expect(said).toEqual([expect.stringContaining('cannot hold this')])
    expect(saved()).toBe('before')
  })

  it('allow a picture of any size: it is shared beside the note', () => {
    registerNoteLimits(editor)
    const src = `data:image/png;base64,${'A'.repeat(2 * MAX_NOTE_STATE_BYTES)}`
    change(() => $insertNodes([$createImageNode({ src })]))
    expect(said).toEqual([])
    expect(saved()).not.toBeNull()
  })

  it('let a note that was larger become smaller', () => {
    change(() => {
      for (let at = 0; at < 3; at += 1) $write('x'.repeat(MAX_NOTE_STATE_BYTES / 2))
    })
    registerNoteLimits(editor)
    change(() => $getRoot().getLastChild()?.remove())
    expect(said).toEqual([])
    expect(saved()?.length).toBeLessThan(MAX_NOTE_STATE_BYTES * 1.1)
    change(() => $write('y'))
    expect(said).toHaveLength(1)
    expect(saved()).not.toContain('y')
  })

  it('leave no undo step of a refused change', () => {
    registerHistory(editor, createEmptyHistoryState(), 0, Date.now)
    registerNoteLimits(editor)
    change(() => $write('one'))
    change(() => $write('two'))
    change(() => $sheet(150, 50))
    editor.dispatchCommand(UNDO_COMMAND, undefined)
    change(() => {})
    expect(shown()).toBe('one')
  })
})
