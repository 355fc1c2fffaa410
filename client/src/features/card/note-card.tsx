import { t } from '@lingui/core/macro'
import ExternalLink from 'lucide-react/icons/external-link'
import { type KeyboardEvent, memo } from 'react'
import type { Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { RICH_NOTE } from '../../protocol/rich-note'
import { type Card, isBatch } from '../../stores/cards'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { gradientOf, tiltOf } from '../item/appearance'
import { Byline, useByline } from '../item/byline'
import { iconOf, kindOf, nameOf } from '../item/describe'
import { ItemNotice } from '../item/item-notice'
import { documentOf } from '../item/shown-as'
import { FileName } from '../transfer/file-name'
import { isWaiting } from '../transfer/file-row'
import { canSave, isReceived } from '../transfer/file-view'
import { formatBytes } from '../transfer/format-bytes'
import { NoteFile } from '../transfer/note-file'
import { useFile } from '../transfer/use-file'
import { useLanguage } from '../use-language'
import { BatchFace } from './batch-face'
import { CardText } from './card-text'
import { MediaView } from './media-view'
import { NoteActions } from './note-actions'
import css from './note-card.module.css'
import { PackPart } from './pack-part'
import { useMedia } from './use-media'

/**
 * An item or a batch as a note on the canvas. Double click or Enter copies it; Enter opens a rich note. When it is not
 * drawn it has only its name, for screen readers.
 */
export const NoteCard = memo(function NoteCard({ card, drawn }: { card: Card; drawn: boolean }) {
  useLanguage()
  const { actions } = useApp()
  const { id, content } = card
  const copy = () => void actions.copyItem(id)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.key !== 'Enter') return
    if (content.kind === RICH_NOTE) actions.notes.view(id)
    else copy()
  }
  return (
    <article
      className={drawn ? css.note : undefined}
      aria-label={nameOf(content)}
      data-gradient={gradientOf(id)}
      data-tilt={tiltOf(id)}
      // The canvas moves the focus from note to note; for Tab all notes are one stop.
      tabIndex={-1}
      onDoubleClick={(event) => isOnNote(event) && copy()}
      onKeyDown={onKeyDown}
    >
      {drawn && (isBatch(card) ? <BatchFace batch={card} on="note" /> : <Face item={card} />)}
    </article>
  )
})

/** Whether a double click hit the note and not one of its controls. */
function isOnNote({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('a, button, input, textarea') === null
}

function Face({ item }: { item: Item }) {
  const { content } = item
  const view = useFile(item, content.kind === 'file' ? content.size : 0)
  const [media, onBroken] = useMedia(item, view.url)
  const isPack = content.kind === 'file' && content.manifest !== undefined
  return (
    <>
      {/* A received file has its download link in the card. */}
      <NoteActions
        item={item}
        url={(media === null && isReceived(view)) || isPack ? null : view.url}
        media={media}
        canSave={isReceived(view) && canSave(view) && !isPack}
        canShow={canSave(view) && (media !== null || documentOf(content) !== null)}
      />
      {content.kind === 'file' ? (
        <FileFace item={item} content={content} view={view} media={media} onBroken={onBroken} />
      ) : (
        <WrittenFace item={item} />
      )}
      <ItemNotice item={item} />
    </>
  )
}

function WrittenFace({ item }: { item: Item }) {
  const { content } = item
  return (
    <>
      <header className={css.head}>
        <Icon of={iconOf(content)} size={14} />
        {kindOf(content)}
        <Byline item={item} />
      </header>
      {content.kind === 'link' ? (
        <>
          <p className={css.host}>{content.host}</p>
          <p className={css.path}>{content.path}</p>
          <a className={css.open} href={content.url} target="_blank" rel="noreferrer">
            <Icon of={ExternalLink} size={12} />
            {t`Open`}
          </a>
        </>
      ) : (
        <CardText item={item} tone="note" />
      )}
    </>
  )
}

interface FileFaceProps {
  item: Item
  content: Extract<Item['content'], { kind: 'file' }>
  view: ReturnType<typeof useFile>
  media: Media | null
  onBroken: () => void
}

function FileFace({ item, content, view, media, onBroken }: FileFaceProps) {
  const byline = useByline(item)
  if (!media || !view.url)
    return (
      <>
        <NoteFile item={item} content={content} view={view} />
        {content.manifest && <PackPart item={item} view={view} on="note" />}
      </>
    )
  const shown = <MediaView media={media} url={view.url} name={content.name} tone="note" onBroken={onBroken} />
  const line = (
    <header className={css.head}>
      <Icon of={iconOf(content)} size={14} />
      <FileName name={content.name} />
      <span className={css.meta} title={byline}>
        {media === 'audio' ? <Byline item={item} /> : formatBytes(content.size)}
      </span>
    </header>
  )
  const sending = view.rows.some((row) => row.status === 'moving' || isWaiting(row))
  return (
    <>
      {media === 'audio' && line}
      {media === 'audio' ? (
        shown
      ) : (
        <div className={css.picture} data-media={media}>
          {shown}
        </div>
      )}
      {media !== 'audio' && line}
      {sending && (
        <div className={css.under}>
          <NoteFile item={item} content={content} view={view} />
        </div>
      )}
    </>
  )
}
