import { t } from '@lingui/core/macro'
import { type ChangeEvent, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { FileItem } from '../../stores/cards'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './ask-buttons.module.css'
import type { FileRowProps, Ground } from './file-row'
import type { FileAction, FileRow, FileView } from './file-view'

interface ChooseAgainProps extends Pick<FileRowProps, 'item' | 'content'> {
  actions: FileRow['actions']
  on: Ground
}

/** Asks for a file that a reload lost, or for the right to read it, so that it can be offered again. */
export function ChooseAgain({ actions, item, content: { name }, on }: ChooseAgainProps) {
  if (actions.includes('allow')) return <AllowAgain id={item.id} text={t`Offer it again`} on={on} />
  if (!actions.includes('choose')) return null
  return <PickAgain ids={[item.id]} text={t`Choose the file again`} label={t`Choose ${name} again`} on={on} />
}

/** Whether a row has one of these buttons. */
export function asksForFile({ actions }: FileRow): boolean {
  return actions.includes('allow') || actions.includes('choose')
}

interface ChooseAllAgainProps {
  files: readonly { readonly item: FileItem; readonly view: FileView }[]
  on: Ground
}

/** The same for the files of a batch: one button for all that a reload lost. */
export function ChooseAllAgain({ files, on }: ChooseAllAgainProps) {
  const asking = (action: FileAction) =>
    files.filter(({ view }) => view.rows.some(({ actions }) => actions.includes(action)))
  const [allow] = asking('allow')
  const isAnyChosen = asking('choose').length > 0
  const text = t`Choose the files again`
  return (
    <>
      {/* What the browser answers for one file may be about the others too. */}
      {allow && <AllowAgain id={allow.item.id} text={t`Offer the files again`} on={on} />}
      {isAnyChosen && <PickAgain ids={files.map(({ item }) => item.id)} text={text} label={text} on={on} />}
    </>
  )
}

function AllowAgain({ id, text, on }: { id: ItemId; text: string; on: Ground }) {
  const { actions } = useApp()
  return (
    <button type="button" className={cx(css.button, css[on], css.main)} onClick={() => actions.offerKept(id)}>
      {text}
    </button>
  )
}

interface PickAgainProps {
  ids: readonly ItemId[]
  text: string
  /** The name of the picker. */
  label: string
  on: Ground
}

function PickAgain({ ids, text, label, on }: PickAgainProps) {
  const { actions } = useApp()
  const input = useRef<HTMLInputElement>(null)
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.currentTarget.files ?? [])]
    // Cleared, so that picking the same file again counts as a change.
    event.currentTarget.value = ''
    actions.shareAgain(ids, files)
  }
  return (
    <>
      <button
        type="button"
        className={cx(css.button, css[on], css.main)}
        onClick={() => input.current?.click()}
      >
        {text}
      </button>
      <input
        ref={input}
        type="file"
        multiple={ids.length > 1}
        className="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        onChange={onChange}
      />
    </>
  )
}
