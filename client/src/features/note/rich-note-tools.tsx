import { t } from '@lingui/core/macro'
import BookOpen from 'lucide-react/icons/book-open'
import Pencil from 'lucide-react/icons/pencil'
import type { ItemId } from '../../protocol/bindings'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'

/** The actions that only rich notes have: read and edit. */
export function RichNoteTools({
  id,
  look,
  iconSize,
}: {
  id: ItemId
  look: 'small' | 'bar'
  iconSize: number
}) {
  const { actions } = useApp()
  const mayShare = useMayShare()
  return (
    <>
      <IconButton
        icon={BookOpen}
        label={t`Open`}
        look={look}
        iconSize={iconSize}
        onClick={() => actions.notes.view(id)}
      />
      {mayShare && (
        <IconButton
          icon={Pencil}
          label={t`Edit`}
          look={look}
          iconSize={iconSize}
          onClick={() => actions.notes.edit(id)}
        />
      )}
    </>
  )
}
