import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import { useApp } from '../actions'
import { RichNoteFace } from '../note/rich-note-face'
import { LongText } from './long-text'
import { TextEditing } from './text-editing'

/** The content of a text or a note on its card, or the field in which a text is changed. */
export function CardText({ item, tone }: { item: Item; tone: 'note' | 'list' }) {
  const { content } = item
  const opened = useStore(useApp().stores.editor, (state) =>
    state.kind === 'editing-text' && state.id === item.id ? state.opened : null,
  )
  if (content.kind === 'file') return null
  if (content.kind === RICH_NOTE) return <RichNoteFace id={item.id} note={content} tone={tone} />
  if (opened !== null) return <TextEditing item={item} opened={opened} tone={tone} />
  return content.kind === 'link' ? null : <LongText text={content.text} />
}
