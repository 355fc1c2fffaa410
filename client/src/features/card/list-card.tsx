import { t } from '@lingui/core/macro'
import { memo } from 'react'
import type { Item } from '../../protocol/item'
import { type Card, isBatch } from '../../stores/cards'
import { cx } from '../../ui/cx'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { Age } from '../item/age'
import { gradientOf } from '../item/appearance'
import { Byline } from '../item/byline'
import { iconOf, kindOf, nameOf } from '../item/describe'
import { ItemNotice } from '../item/item-notice'
import { FileSize, FileTitle } from '../transfer/file-title'
import { type FileView, isStoppable, namesSender } from '../transfer/file-view'
import { ListFileRow } from '../transfer/list-file'
import { isSavable } from '../transfer/save-link'
import { useFile } from '../transfer/use-file'
import { useIsWhole } from '../transfer/use-pack'
import { useLanguage } from '../use-language'
import { BatchFace } from './batch-face'
import { CardText } from './card-text'
import css from './list-card.module.css'
import { ListTools } from './list-tools'
import { MediaView } from './media-view'
import { PackPart } from './pack-part'
import { useMedia } from './use-media'

/** An item or a batch as a card of a list, for narrow screens. `isHalf`: it is a picture beside another one. */
export const ListCard = memo(function ListCard({ card, isHalf }: { card: Card; isHalf: boolean }) {
  useLanguage()
  return (
    <article className={cx(css.card, isHalf && css.half)} aria-label={nameOf(card.content)}>
      {isBatch(card) ? <BatchFace batch={card} on="page" /> : <Face item={card} isHalf={isHalf} />}
    </article>
  )
})

function Face({ item, isHalf }: { item: Item; isHalf: boolean }) {
  return (
    <>
      {item.content.kind === 'file' ? (
        <FileFace item={item} content={item.content} isHalf={isHalf} />
      ) : (
        <div className={css.top}>
          <Tile icon={iconOf(item.content)} gradient={gradientOf(item.id)} />
          <Words item={item} content={item.content} />
        </div>
      )}
      <ItemNotice item={item} />
    </>
  )
}

type FileContent = Extract<Item['content'], { kind: 'file' }>

function FileFace({ item, content, isHalf }: { item: Item; content: FileContent; isHalf: boolean }) {
  const { actions } = useApp()
  const view = useFile(item, content.size)
  const [media, onBroken] = useMedia(item, view.url)
  const isPicture = media !== null && media !== 'audio'
  const { name } = content
  return (
    <>
      {isPicture && view.url && (
        <div className={css.picture}>
          <MediaView media={media} url={view.url} name={name} tone="page" onBroken={onBroken} />
          {media === 'image' && (
            <button
              type="button"
              className={css.enlarge}
              aria-label={t`Full view of ${name}`}
              onClick={() => actions.showFull(item.id, 'newest-first')}
            />
          )}
        </div>
      )}
      <div className={css.top}>
        {!isPicture && <Tile icon={iconOf(content)} gradient={gradientOf(item.id)} />}
        <div className={css.words}>
          <div className={isPicture ? css.caption : css.title}>
            <FileTitle content={content} />
          </div>
          {!isHalf && (
            <div className={css.meta}>
              <FileSize content={content} view={view} />
              {!isStoppable(view) && (
                <> · {namesSender(view) ? <Age at={item.at} /> : <Byline item={item} />}</>
              )}
            </div>
          )}
        </div>
        <ListTools item={item} view={view} media={media} />
      </div>
      {media === 'audio' && view.url && (
        <div className={css.player}>
          <MediaView media="audio" url={view.url} name={name} tone="page" onBroken={onBroken} />
        </div>
      )}
      <Progresses item={item} content={content} view={view} isShown={media !== null} />
      {content.manifest && <PackPart item={item} view={view} on="page" />}
    </>
  )
}

const NO_FILE: FileView = { url: null, rows: [] }

function Words({ item, content }: { item: Item; content: Exclude<Item['content'], FileContent> }) {
  const tools = <ListTools item={item} view={NO_FILE} media={null} />
  if (content.kind === 'link') {
    return (
      <>
        <div className={css.words}>
          <div className={css.title} dir="ltr">
            {content.host}
          </div>
          <div className={css.line}>
            {content.path && <span className={css.path}>{content.path}</span>}
            <Byline item={item} />
          </div>
        </div>
        {tools}
      </>
    )
  }
  return (
    <div className={css.words}>
      <CardText item={item} tone="list" />
      <div className={css.foot}>
        <span className={css.meta}>
          {kindOf(content)} · <Byline item={item} />
        </span>
        {tools}
      </div>
    </div>
  )
}

function Progresses(props: { item: Item; content: FileContent; view: FileView; isShown: boolean }) {
  const { item, content, view, isShown } = props
  const isWhole = useIsWhole(item)
  // A file that is shown needs no row that says it was received.
  const rows = view.rows.filter((row) => !(isShown && (row.status === 'done' || row.status === 'waiting')))
  return rows.map((row) => (
    <ListFileRow
      key={row.device ?? ''}
      row={row}
      item={item}
      content={content}
      named={view.rows.length > 1}
      saved={isSavable(row, view) && isWhole ? view : null}
    />
  ))
}
