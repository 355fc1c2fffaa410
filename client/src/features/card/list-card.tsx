import Copy from 'lucide-react/icons/copy'
import ExternalLink from 'lucide-react/icons/external-link'
import Trash2 from 'lucide-react/icons/trash-2'
import { memo, useState } from 'react'
import { copyableText, type Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { RICH_NOTE } from '../../protocol/rich-note'
import { cx } from '../../ui/cx'
import { IconButton, IconLink } from '../../ui/icon-button'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { Age } from '../item/age'
import { gradientOf } from '../item/appearance'
import { Byline } from '../item/byline'
import { iconOf, kindOf, nameOf } from '../item/describe'
import { ItemNotice } from '../item/item-notice'
import { SendOn } from '../item/send-on'
import { RichNoteFace } from '../note/rich-note-face'
import { RichNoteTools } from '../note/rich-note-tools'
import { useMayShare } from '../session/beam'
import { DownloadLink } from '../transfer/download-link'
import { FileName } from '../transfer/file-name'
import { RowTools } from '../transfer/file-row'
import { type FileView, namesSender, partOf } from '../transfer/file-view'
import { formatSize } from '../transfer/format-bytes'
import { ListFileRow } from '../transfer/list-file'
import { useFile } from '../transfer/use-file'
import { LazyFullView } from './lazy-full-view'
import css from './list-card.module.css'
import { LongText } from './long-text'
import { MediaView } from './media-view'
import { useMedia } from './use-media'

/** An item as a card of a list, for narrow screens. */
export const ListCard = memo(function ListCard({ item }: { item: Item }) {
  const { content } = item
  const view = useFile(item, content.kind === 'file' ? content.size : 0)
  const [media, onBroken] = useMedia(item, view.url)
  const [full, setFull] = useState(false)
  return (
    <article className={css.card} aria-label={nameOf(content)}>
      {media && view.url && content.kind === 'file' && media !== 'audio' && (
        <div className={css.picture}>
          <MediaView media={media} url={view.url} name={content.name} tone="page" onBroken={onBroken} />
          {media === 'image' && (
            <button
              type="button"
              className={css.enlarge}
              aria-label={`Full view of ${content.name}`}
              onClick={() => setFull(true)}
            />
          )}
        </div>
      )}
      {full && view.url && <LazyFullView item={item} url={view.url} onClose={() => setFull(false)} />}
      <div className={css.top}>
        {(!media || media === 'audio') && <Tile icon={iconOf(content)} gradient={gradientOf(item.id)} />}
        <Words item={item} view={view} />
        {content.kind === 'file' && <Tools item={item} view={view} media={media} />}
      </div>
      {content.kind === 'file' && media === 'audio' && view.url && (
        <div className={css.player}>
          <MediaView media="audio" url={view.url} name={content.name} tone="page" onBroken={onBroken} />
        </div>
      )}
      {content.kind === 'file' && <Progresses item={item} view={view} shown={media !== null} />}
      <ItemNotice item={item} />
    </article>
  )
})

function Words({ item, view }: { item: Item; view: FileView }) {
  const { content } = item
  if (content.kind === 'file') {
    return (
      <div className={css.words}>
        <div className={css.title}>
          <FileName name={content.name} />
        </div>
        <div className={css.meta}>
          {formatSize(partOf(view), content.size)} ·{' '}
          {namesSender(view) ? <Age at={item.at} /> : <Byline item={item} />}
        </div>
      </div>
    )
  }
  return (
    <div className={css.words}>
      {content.kind === 'link' ? (
        <>
          <div className={css.title}>{content.host}</div>
          <div className={cx(css.meta, css.path)}>{content.path}</div>
        </>
      ) : (
        <Text content={content} />
      )}
      <div className={css.foot}>
        <span className={css.meta}>
          {kindOf(content)} · <Byline item={item} />
        </span>
        <Tools item={item} view={view} media={null} />
      </div>
    </div>
  )
}

function Text({ content }: { content: Exclude<Item['content'], { kind: 'file' | 'link' }> }) {
  if (content.kind === RICH_NOTE) return <RichNoteFace note={content} tone="list" />
  return <LongText text={content.text} />
}

/** The actions on the item. While its file is being transferred, that is Cancel. */
function Tools({ item, view, media }: { item: Item; view: FileView; media: Media | null }) {
  const { actions } = useApp()
  const { content } = item
  const mayShare = useMayShare()
  const [row] = view.rows
  const stoppable = view.rows.some(({ actions: can }) => can.includes('cancel'))
  return (
    <div className={css.tools}>
      {content.kind === 'link' && (
        <IconLink
          href={content.url}
          target="_blank"
          rel="noreferrer"
          icon={ExternalLink}
          label="Open"
          iconSize={20}
        />
      )}
      {content.kind === RICH_NOTE && <RichNoteTools id={item.id} iconSize={20} look="bar" />}
      {(copyableText(content) !== null || media === 'image') && (
        <IconButton icon={Copy} label="Copy" iconSize={20} onClick={() => void actions.copyItem(item.id)} />
      )}
      {content.kind === 'file' && view.url && (
        <DownloadLink url={view.url} name={content.name} look="bar" iconSize={20} />
      )}
      {view.rows.length === 1 && row && <RowTools row={row} item={item} on="page" />}
      {mayShare && <SendOn id={item.id} look="bar" iconSize={20} />}
      {!stoppable && mayShare && (
        <IconButton icon={Trash2} label="Delete" iconSize={18} onClick={() => actions.deleteItem(item.id)} />
      )}
    </div>
  )
}

function Progresses({ item, view, shown }: { item: Item; view: FileView; shown: boolean }) {
  const { content } = item
  if (content.kind !== 'file') return null
  // A file that is shown needs no row that says it was received.
  const rows = view.rows.filter((row) => !(shown && (row.status === 'done' || row.status === 'waiting')))
  return rows.map((row) => (
    <ListFileRow
      key={row.device ?? ''}
      row={row}
      item={item}
      content={content}
      named={view.rows.length > 1}
    />
  ))
}
