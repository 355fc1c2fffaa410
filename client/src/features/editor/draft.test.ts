// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { parseJson } from '../../protocol/envelope'
import { readNoteState } from '../../protocol/note-state'
import { type Draft, dropDraft, keepDraft, readDraft } from './draft'

const root = readNoteState({
  root: parseJson('{"type":"root","version":1,"direction":null,"format":"","indent":0,"children":[]}'),
})
const draft = (title: string, pictures: number): Draft => {
  if (!root) throw new Error('the empty state is not valid')
  const file = new File(['x'], 'a.png', { type: 'image/png' })
  return {
    title,
    root,
    pictures: Array.from({ length: pictures }, (_, at) => ({ id: `${at}` as ItemId, file })),
  }
}
let kept: Map<string, string>
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => Boolean(kept.set(key, value)),
  removeItem: (key: string) => void kept.delete(key),
}
beforeEach(() => {
  kept = new Map()
})

it('of a note that was saved meanwhile is not stored', async () => {
  const keeping = keepDraft(storage, null, draft('late', 1))
  dropDraft(storage)
  await keeping
  expect(readDraft(storage, null)).toBeNull()
})

it('that is older does not replace a newer one', async () => {
  await Promise.all([keepDraft(storage, null, draft('old', 9)), keepDraft(storage, null, draft('new', 0))])
  expect(readDraft(storage, null)?.title).toBe('new')
})
