import { Suspense } from 'react'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { NoteBoundary } from '../note/note-boundary'
import { RichNoteFace } from '../note/rich-note-face'
import { LongText } from './long-text'

const TextEditing = lazyPart(
  () => import('./text-editing'),
  (m) => m.TextEditing,
)

/** The content of a text or a note on its card, or the field in which a text is changed. */
export function CardText({ item, tone }: { item: Item; tone: 'note' | 'list' }) {
  const { content } = item
  const isOpen = useStore(
    useApp().stores.editor,
    (state) => state.kind === 'editing-text' && state.id === item.id,
  )
  if (content.kind === 'file') return null
  if (content.kind === RICH_NOTE) return <RichNoteFace id={item.id} note={content} tone={tone} />
  if (content.kind === 'link') return null
  const text = <LongText text={content.text} />
  if (!isOpen) return text
  return (
    <NoteBoundary>
      <Suspense fallback={text}>
        <TextEditing tone={tone} />
      </Suspense>
    </NoteBoundary>
  )
}
