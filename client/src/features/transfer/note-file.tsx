import { t } from '@lingui/core/macro'
import { useRef } from 'react'
import type { Item } from '../../protocol/item'
import { useKeptFocus } from '../../ui/kept-focus'
import { Tile } from '../../ui/tile'
import { Byline } from '../item/byline'
import { iconOf } from '../item/describe'
import { AskButtons } from './ask-buttons'
import { ChooseAgain } from './choose-again'
import {
  type FileContent,
  type FileRowProps,
  hasBadge,
  RowProgress,
  RowTools,
  StateBadge,
  useRecipient,
} from './file-row'
import { FileSize, FileTitle } from './file-title'
import { type FileView, namesSender } from './file-view'
import css from './note-file.module.css'
import { isSavable, SaveLink } from './save-link'
import { useFileAction, useProgressTexts } from './use-file'
import { useIsWhole } from './use-pack'

/** A file on a note: its name and size, its transfers, and their actions. */
export function NoteFile({ item, content, view }: { item: Item; content: FileContent; view: FileView }) {
  const isWhole = useIsWhole(item)
  return (
    <div>
      <div className={css.head}>
        <Tile icon={iconOf(content)} />
        <div className={css.names}>
          <FileTitle content={content} />
          <div className={css.size}>
            <FileSize content={content} view={view} />
          </div>
          {!namesSender(view) && (
            <div className={css.size}>
              <Byline item={item} />
            </div>
          )}
        </div>
      </div>
      {view.rows.map((row) => (
        <Row
          key={row.device ?? ''}
          row={row}
          item={item}
          content={content}
          named={view.rows.length > 1}
          saved={isSavable(row, view) && isWhole ? view : null}
        />
      ))}
    </div>
  )
}

/** @param saved what is saved when the whole file can be; null otherwise */
function Row({ row, item, content, named, saved }: FileRowProps & { saved: FileView | null }) {
  const { left, right } = useProgressTexts(row, content.size)
  const act = useFileAction(item)
  const device = useRecipient({ row, named })
  const ref = useRef<HTMLDivElement>(null)
  const keeps = useKeptFocus(ref)
  return (
    <div ref={ref} className={css.row} {...keeps}>
      {device && <div className={css.to}>{t`To ${device}`}</div>}
      <RowProgress row={row} content={content} to={device} on="note" />
      <div className={css.texts}>
        <span>{left}</span>
        <span>{right}</span>
      </div>
      {(hasBadge(row) || row.actions.length > 0 || saved) && (
        <div className={css.foot}>
          <StateBadge row={row} on="note" />
          <span className={css.gap} />
          {saved && <SaveLink id={item.id} url={saved.url} name={content.name} look="note" />}
          <AskButtons actions={row.actions} look="note" onAct={(action) => act(action, row)} />
          <ChooseAgain actions={row.actions} item={item} content={content} on="note" />
          <RowTools row={row} item={item} on="note" />
        </div>
      )}
    </div>
  )
}
