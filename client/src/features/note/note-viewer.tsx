import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { RICH_NOTE, type RichNote, untitledNote } from '../../protocol/rich-note'
import { Button } from '../../ui/button'
import { FullPage } from '../../ui/full-page'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { NotSealed } from '../item/not-sealed'
import { useMayShare } from '../session/beam'
import { NoteBoundary, NoteError } from './note-boundary'
import { NoteContent } from './note-content'
import css from './note-viewer.module.css'
import { PicturesOf } from './picture-url'
import { useTicking } from './ticking'

/** The viewer of a rich note. It shows changes by others, and closes when the note is deleted. */
export function NoteViewer({ id }: { id: ItemId }) {
  const { stores, actions } = useApp()
  const mayShare = useMayShare()
  const item = useStore(stores.items, ({ items }) => items.find((one) => one.id === id))
  const isGone = item === undefined
  useEffect(() => {
    if (isGone) actions.notes.close()
  }, [isGone, actions])
  if (item?.content.kind !== RICH_NOTE) return null
  const note = item.content
  const buttons = (
    <>
      <Button look="ghost" onClick={() => void actions.copyItem(id)}>
        {t`Copy`}
      </Button>
      {mayShare && (
        <Button look="ghost" onClick={() => actions.notes.edit(id)}>
          {t`Edit`}
        </Button>
      )}
      <IconButton icon={X} label={t`Close`} onClick={actions.notes.close} />
    </>
  )
  return (
    <FullPage title={t`Note`} buttons={buttons} onLeave={actions.notes.close}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too */}
      <section className={css.scroll} aria-label={t`Note`} tabIndex={0}>
        <article className={css.column} aria-label={note.title || untitledNote()}>
          <h2 className={css.title} dir="auto">
            {note.title || untitledNote()}
          </h2>
          <NotSealed items={[item]} />
          <Content id={id} note={note} />
        </article>
      </section>
    </FullPage>
  )
}

function Content({ id, note: { root } }: { id: ItemId; note: RichNote }) {
  const onTick = useTicking(id)
  useEffect(() => {
    // biome-ignore lint/suspicious/noConsole: the specification's way to report a note that cannot be read.
    if (root === null) console.error('The note cannot be read')
  }, [root])
  if (root === null) return <NoteError />
  return (
    <NoteBoundary>
      <PicturesOf value={id}>
        <NoteContent root={root} tone="page" onTick={onTick} />
      </PicturesOf>
    </NoteBoundary>
  )
}
