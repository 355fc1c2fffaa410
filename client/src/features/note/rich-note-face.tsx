import type { ItemId } from '../../protocol/bindings'
import { type RichNote, untitledNote } from '../../protocol/rich-note'
import { cx } from '../../ui/cx'
import { Folded } from '../../ui/folded'
import { NoteBoundary, NoteError } from './note-boundary'
import { NoteContent } from './note-content'
import { PicturesOf } from './picture-url'
import css from './rich-note-face.module.css'
import { useTicking } from './ticking'

/** A rich note within a card: its title and the beginning of its content. */
export function RichNoteFace({
  id,
  note: { title, root },
  tone,
}: {
  id: ItemId
  note: RichNote
  tone: 'note' | 'list'
}) {
  const onTick = useTicking(id)
  return (
    <>
      <p className={cx(css.title, tone === 'note' && css.onNote)} dir="auto">
        {title || untitledNote()}
      </p>
      {root === null && <NoteError />}
      {root !== null && root.children.length > 0 && (
        <NoteBoundary>
          <Folded>
            <PicturesOf value={id}>
              <NoteContent root={root} tone={tone} onTick={onTick} />
            </PicturesOf>
          </Folded>
        </NoteBoundary>
      )}
    </>
  )
}
