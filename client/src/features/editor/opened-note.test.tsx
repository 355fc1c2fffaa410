// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { pendingItem } from '../../protocol/item'
import { versionOf } from '../../protocol/note-versions'
import { EMPTY_ROOT, richNoteMessage, withText } from '../../protocol/rich-note'
import { tabStorage } from '../../stores/site-storage'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { keepDraft } from './draft'
import { useElsewhere, useOpened } from './opened-note'

const NOTE = 'note' as ItemId
const { message, extra } = richNoteMessage('Packing', withText(EMPTY_ROOT, 'bags'), null)
const stores = createStores()
const wrapper = ({ children }: { children: ReactNode }) => (
  <AppContext value={{ stores, actions: {} as Actions }}>{children}</AppContext>
)
beforeEach(() => {
  sessionStorage.clear()
  stores.items.setState({ items: [pendingItem(NOTE, message, extra, 0)] })
})

it('tells a note that was changed from one that was deleted', () => {
  const seen = (base: string | null) => renderHook(() => useElsewhere(NOTE, base), { wrapper }).result.current
  expect(seen(versionOf(message))).toBe('same')
  expect(seen('another')).toBe('changed')
  stores.items.setState({ items: [] })
  expect(seen('another')).toBe('gone')
})

it('begins a note for one device without the draft of one for everybody', async () => {
  await keepDraft(tabStorage, null, { base: null, title: 'Draft', root: EMPTY_ROOT, pictures: [] })
  const title = (isPrivate: boolean) =>
    renderHook(() => useOpened(null, isPrivate), { wrapper }).result.current.title
  expect(title(false)).toBe('Draft')
  expect(title(true)).toBe('')
})
