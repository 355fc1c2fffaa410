import { t } from '@lingui/core/macro'
import BookOpen from 'lucide-react/icons/book-open'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import ExternalLink from 'lucide-react/icons/external-link'
import FolderDown from 'lucide-react/icons/folder-down'
import Maximize2 from 'lucide-react/icons/maximize'
import Pencil from 'lucide-react/icons/pencil'
import Send from 'lucide-react/icons/send'
import Trash2 from 'lucide-react/icons/trash-2'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { RICH_NOTE } from '../../protocol/rich-note'
import { IconButton, IconLink } from '../../ui/icon-button'
import type { MenuItem } from '../../ui/menu'
import { MoreMenu } from '../../ui/more-menu'
import { type AppValue, useApp } from '../actions'
import { nameOf } from '../item/describe'
import { useCanSendOn } from '../item/send-on'
import { documentOf } from '../item/shown-as'
import { useMayShare } from '../session/beam'
import { useDetailsCommand } from '../transfer/details-button'
import { DownloadLink } from '../transfer/download-link'
import { RowTools } from '../transfer/file-row'
import { canSave, type FileView, isReceived } from '../transfer/file-view'
import css from './list-tools.module.css'

const ICON_SIZE = 20

interface ListToolsProps {
  item: Item
  view: FileView
  media: Media | null
}

/** The actions on a card of a list: the most used one, and the others in a menu. */
export function ListTools({ item, view, media }: ListToolsProps) {
  const { actions, stores } = useApp()
  const mayShare = useMayShare()
  const [row] = view.rows
  const isStoppable = view.rows.some((one) => one.actions.includes('cancel'))
  const canSendOn = useCanSendOn() && mayShare
  const details = useDetailsCommand(item.id)
  const isKept = useStore(stores.savePlace, ({ status }) => status === 'kept')
  const sendOn = () => stores.beamDialog.setState({ kind: 'send', item: item.id }, true)
  const name = nameOf(item.content)
  const menu = [
    ...(canSendOn ? [{ label: t`Send to one device`, icon: Send, onSelect: sendOn }] : []),
    ...(details ? [details] : []),
    ...menuOf({ item, view, media, isKept }, actions, mayShare && !isStoppable),
  ]
  return (
    <div className={css.tools}>
      <FirstTool item={item} view={view} media={media} />
      {view.rows.length === 1 && row && <RowTools row={row} item={item} on="page" />}
      {menu.length > 0 && <MoreMenu label={t`More of ${name}`} items={menu} iconSize={ICON_SIZE} />}
    </div>
  )
}

/** The most used action on an item. A picture has none: a press on it shows it. */
function FirstTool({ item, view, media }: ListToolsProps) {
  const { actions } = useApp()
  const { content } = item
  if (content.kind === 'link') {
    return (
      <IconLink
        href={content.url}
        target="_blank"
        rel="noreferrer"
        icon={ExternalLink}
        label={t`Open`}
        iconSize={ICON_SIZE}
      />
    )
  }
  if (content.kind !== 'file') {
    return (
      <IconButton
        icon={Copy}
        label={t`Copy`}
        iconSize={ICON_SIZE}
        onClick={() => void actions.copyItem(item.id)}
      />
    )
  }
  // A received file that is not shown has Save below it.
  if (!view.url || content.manifest || isPicture(media) || (media === null && isReceived(view))) return null
  return <DownloadLink id={item.id} url={view.url} name={content.name} look="bar" iconSize={ICON_SIZE} />
}

function menuOf(
  { item, view, media, isKept }: ListToolsProps & { isKept: boolean },
  actions: AppValue['actions'],
  mayDelete: boolean,
): MenuItem[] {
  const { id, content } = item
  const copy = { label: t`Copy`, icon: Copy, onSelect: () => void actions.copyItem(id) }
  const items: MenuItem[] = []
  if (content.kind === RICH_NOTE) {
    items.push({ label: t`Open`, icon: BookOpen, onSelect: () => actions.notes.view(id) })
    if (mayDelete) items.push({ label: t`Edit`, icon: Pencil, onSelect: () => actions.notes.edit(id) })
  }
  if (content.kind === 'text' && mayDelete) {
    items.push({ label: t`Edit`, icon: Pencil, onSelect: () => actions.notes.edit(id) })
  }
  if (content.kind === 'link' || media === 'image') items.push(copy)
  if (content.kind === 'file' && canSave(view)) {
    items.push(...fileMenu(id, content, isKept ? null : view.url, media, actions))
  }
  if (mayDelete) items.push({ label: t`Delete`, icon: Trash2, onSelect: () => actions.deleteItem(id) })
  return items
}

/** The commands of a file that can be saved. `url` is null where the browser cannot download it alone. */
function fileMenu(
  id: ItemId,
  content: Extract<Item['content'], { kind: 'file' }>,
  url: string | null,
  media: Media | null,
  actions: AppValue['actions'],
): MenuItem[] {
  const show = () => actions.showFull(id, 'newest-first')
  // A press on a picture shows it in full.
  const canShow = media === null ? documentOf(content) !== null : media !== 'image'
  const how =
    url === null
      ? { onSelect: () => void actions.saveHere(id) }
      : { download: { url, name: content.name }, onSelect: () => {} }
  const save = { label: t`Download`, icon: Download, ...how }
  const saveAs = { label: t`Save as…`, icon: FolderDown, onSelect: () => void actions.saveHereAs(id) }
  return [
    ...(canShow ? [{ label: t`Full view`, icon: Maximize2, onSelect: show }] : []),
    ...(isPicture(media) ? [save] : []),
    ...(actions.canPickFile && !content.manifest ? [saveAs] : []),
  ]
}

function isPicture(media: Media | null): boolean {
  return media === 'image' || media === 'video'
}
