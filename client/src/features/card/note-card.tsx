import ExternalLink from 'lucide-react/icons/external-link'
import { type KeyboardEvent, memo } from 'react'
import type { Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { RICH_NOTE } from '../../protocol/rich-note'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { gradientOf, tiltOf } from '../item/appearance'
import { Byline, useByline } from '../item/byline'
import { iconOf, kindOf, nameOf } from '../item/describe'
import { ItemNotice } from '../item/item-notice'
import { RichNoteFace } from '../note/rich-note-face'
import { FileName } from '../transfer/file-name'
import { isReceived } from '../transfer/file-view'
import { formatBytes } from '../transfer/format-bytes'
import { NoteFile } from '../transfer/note-file'
import { useFile } from '../transfer/use-file'
import { LongText } from './long-text'
import { MediaView } from './media-view'
import { NoteActions } from './note-actions'
import css from './note-card.module.css'
import { useMedia } from './use-media'

/**
 * An item as a note on the canvas. Double click or Enter copies it; Enter opens a rich note. When it is not drawn it
 * has only its name, for screen readers.
 */
export const NoteCard = memo(function NoteCard({ item, drawn }: { item: Item; drawn: boolean }) {
  const { actions } = useApp()
  const { content } = item
  const copy = () => void actions.copyItem(item.id)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.key !== 'Enter') return
    if (content.kind === RICH_NOTE) actions.notes.view(item.id)
    else copy()
  }
  return (
    <article
      className={drawn ? css.note : undefined}
      aria-label={nameOf(content)}
      data-gradient={gradientOf(item.id)}
      data-tilt={tiltOf(item.id)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a note is a thing to walk to; it has keys of its own
      tabIndex={0}
      onDoubleClick={(event) => isOnNote(event) && copy()}
      onKeyDown={onKeyDown}
    >
      {drawn && <Face item={item} />}
    </article>
  )
})

/** Whether a double click hit the note and not one of its controls. */
function isOnNote({ target }: { target: EventTarget }): boolean {
  return target instanceof Element && target.closest('a, button, input') === null
}

function Face({ item }: { item: Item }) {
  const { content } = item
  const view = useFile(item, content.kind === 'file' ? content.size : 0)
  const [media, onBroken] = useMedia(item, view.url)
  return (
    <>
      {/* A received file has its download link in the card. */}
      <NoteActions item={item} url={media === null && isReceived(view) ? null : view.url} media={media} />
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
            Open
          </a>
        </>
      ) : (
        content.kind !== 'file' && <Text content={content} />
      )}
    </>
  )
}

function Text({ content }: { content: Exclude<Item['content'], { kind: 'file' | 'link' }> }) {
  if (content.kind === RICH_NOTE) return <RichNoteFace note={content} tone="note" />
  return <LongText text={content.text} />
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
  if (!media || !view.url) return <NoteFile item={item} content={content} view={view} />
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
  const sending = view.rows.some((row) => row.status === 'moving' || row.status === 'parked')
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
