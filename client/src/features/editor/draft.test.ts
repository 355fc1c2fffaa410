// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { parseJson } from '../../protocol/envelope'
import { readNoteState } from '../../protocol/note-state'
import { tabStorage } from '../../stores/site-storage'
import { type Draft, dropDraft, keepDraft, readDraft } from './draft'

const root = readNoteState({
  root: parseJson('{"type":"root","version":1,"direction":null,"format":"","indent":0,"children":[]}'),
})
const draft = (title: string, pictures: number): Draft => {
  if (!root) throw new Error('the empty state is not valid')
  const file = new File(['x'], 'a.png', { type: 'image/png' })
  return {
    base: null,
    title,
    root,
    pictures: Array.from({ length: pictures }, (_, at) => ({ id: `${at}` as ItemId, file })),
  }
}
beforeEach(() => sessionStorage.clear())

it('of a note that was saved meanwhile is not stored', async () => {
  const keeping = keepDraft(tabStorage, null, draft('late', 1))
  dropDraft(tabStorage)
  await keeping
  expect(readDraft(tabStorage, null)).toBeNull()
})

it('that is older does not replace a newer one', async () => {
  await Promise.all([
    keepDraft(tabStorage, null, draft('old', 9)),
    keepDraft(tabStorage, null, draft('new', 0)),
  ])
  expect(readDraft(tabStorage, null)?.title).toBe('new')
})
