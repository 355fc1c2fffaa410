import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import FolderDown from 'lucide-react/icons/folder-down'
import Maximize2 from 'lucide-react/icons/maximize'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { copyableText, type Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { RICH_NOTE } from '../../protocol/rich-note'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { SendOn } from '../item/send-on'
import { RichNoteTools } from '../note/rich-note-tools'
import { useMayShare } from '../session/beam'
import { DetailsButton } from '../transfer/details-button'
import { DownloadLink } from '../transfer/download-link'
import css from './note-actions.module.css'

interface NoteActionsProps {
  item: Item
  /** Where to download the file from; null when its card has that link. */
  url: string | null
  media: Media | null
  /** Whether the full view can show the file. */
  canShow: boolean
  /** Whether a file of another device can be saved as a whole. */
  canSave: boolean
}

/** The buttons above a note under the pointer or with the focus. */
export function NoteActions({ item, url, media, canShow, canSave }: NoteActionsProps) {
  const { actions } = useApp()
  const { content } = item
  const mayShare = useMayShare()
  const canCopy = copyableText(content) !== null || media === 'image'
  return (
    <div className={css.actions} data-actions>
      {content.kind === RICH_NOTE && <RichNoteTools id={item.id} iconSize={15} look="small" />}
      {canCopy && (
        <IconButton
          icon={Copy}
          label={t`Copy`}
          look="small"
          iconSize={15}
          onClick={() => void actions.copyItem(item.id)}
        />
      )}
      {content.kind === 'text' && mayShare && (
        <IconButton
          icon={Pencil}
          label={t`Edit`}
          look="small"
          iconSize={15}
          onClick={() => actions.notes.edit(item.id)}
        />
      )}
      {canShow && (
        <IconButton
          icon={Maximize2}
          label={t`Full view`}
          look="small"
          iconSize={15}
          onClick={() => actions.showFull(item.id, 'oldest-first')}
        />
      )}
      {content.kind === 'file' && url && (
        <DownloadLink id={item.id} url={url} name={content.name} look="small" iconSize={15} />
      )}
      {canSave && actions.canPickFile && (
        <IconButton
          icon={FolderDown}
          label={t`Save as…`}
          look="small"
          iconSize={15}
          onClick={() => void actions.saveHereAs(item.id)}
        />
      )}
      {content.kind === 'file' && <DetailsButton card={item.id} />}
      {mayShare && <SendOn id={item.id} look="small" iconSize={15} />}
      {mayShare && (
        <IconButton
          icon={Trash2}
          label={t`Delete`}
          look="small"
          iconSize={15}
          onClick={() => actions.deleteItem(item.id)}
        />
      )}
    </div>
  )
}
