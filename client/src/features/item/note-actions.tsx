import Copy from 'lucide-react/icons/copy'
import Trash2 from 'lucide-react/icons/trash-2'
import { copyableText, type Item } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import { IconButton } from '../../ui/icon-button'
import { useHouse } from '../actions'
import { RichNoteTools } from '../note/rich-note-tools'
import { useMayShare } from '../session/beam'
import { DownloadLink } from '../transfer/download-link'
import css from './note-actions.module.css'

/** What floats above a note under the pointer or the focus. */
export function NoteActions({ item, url }: { item: Item; url: string | null }) {
  const { actions } = useHouse()
  const { content } = item
  const mayShare = useMayShare()
  return (
    <div className={css.actions}>
      {content.kind === RICH_NOTE && <RichNoteTools id={item.id} iconSize={15} look="small" />}
      {copyableText(content) !== null && (
        <IconButton
          icon={Copy}
          label="Copy"
          look="small"
          iconSize={15}
          onClick={() => void actions.copyItem(item.id)}
        />
      )}
      {content.kind === 'file' && url && (
        <DownloadLink url={url} name={content.name} look="small" iconSize={15} />
      )}
      {mayShare && (
        <IconButton
          icon={Trash2}
          label="Delete"
          look="small"
          iconSize={15}
          onClick={() => actions.deleteItem(item.id)}
        />
      )}
    </div>
  )
}
