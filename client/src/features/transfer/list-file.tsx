import { t } from '@lingui/core/macro'
import { useRef } from 'react'
import { useKeptFocus } from '../../ui/kept-focus'
import { AskButtons } from './ask-buttons'
import { asksForFile, ChooseAgain } from './choose-again'
import { type FileRowProps, RowProgress, RowTools, StateBadge, useRecipient } from './file-row'
import type { FileView } from './file-view'
import css from './list-file.module.css'
import { SaveLink } from './save-link'
import { ScreenHint } from './screen-hint'
import { useFileAction, useProgressTexts } from './use-file'

/** One transfer of a file in a list. When there are several, each names its device and has its own buttons. */
export function ListFileRow({
  row,
  item,
  content,
  named,
  saved,
}: FileRowProps & {
  /** What is saved when the whole file can be; null otherwise. */
  saved: Pick<FileView, 'url'> | null
}) {
  const { left, right, seconds } = useProgressTexts(row, content.size)
  const act = useFileAction(item)
  const device = useRecipient({ row, named })
  const ref = useRef<HTMLDivElement>(null)
  const keeps = useKeptFocus(ref)
  return (
    <div ref={ref} className={css.row} {...keeps}>
      {device && (
        <div className={css.to}>
          <span>{t`To ${device}`}</span>
          <RowTools row={row} item={item} on="page" />
        </div>
      )}
      <RowProgress row={row} content={content} to={device} on="page" />
      <div className={css.texts}>
        <span>{[left, right].filter(Boolean).join(' · ')}</span>
        <StateBadge row={row} on="page" />
      </div>
      <ScreenHint row={row} size={content.size} seconds={seconds} />
      {saved && (
        <div className={css.ask}>
          <SaveLink id={item.id} url={saved.url} name={content.name} look="page" />
        </div>
      )}
      {asksForFile(row) && (
        <div className={css.ask}>
          <ChooseAgain actions={row.actions} item={item} content={content} on="page" />
        </div>
      )}
      {row.actions.includes('receive') && (
        <div className={css.ask}>
          <AskButtons actions={row.actions} look="page" onAct={(action) => act(action, row)} />
        </div>
      )}
    </div>
  )
}
