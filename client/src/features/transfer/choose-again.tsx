import { t } from '@lingui/core/macro'
import { useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { FileItem } from '../../stores/cards'
import type { PackList } from '../../stores/packs'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import { FileInput, type FileInputProps, PICKS_FOLDERS } from '../files/file-input'
import css from './ask-buttons.module.css'
import type { FileRowProps, Ground } from './file-row'
import type { FileAction, FileRow, FileView } from './file-view'
import { usePack } from './use-pack'

interface ChooseAgainProps extends Pick<FileRowProps, 'item' | 'content'> {
  actions: FileRow['actions']
  on: Ground
}

/** Asks for a file that a reload lost, or for the right to read it, so that it can be offered again. */
export function ChooseAgain({ actions, item, content, on }: ChooseAgainProps) {
  const list = usePack(item)
  const { name } = content
  if (actions.includes('allow')) return <AllowAgain id={item.id} text={t`Offer it again`} on={on} />
  if (!actions.includes('choose')) return null
  const look = { ids: [item.id], label: t`Choose ${name} again`, on }
  if (!content.manifest) return <PickAgain {...look} text={t`Choose the file again`} />
  if (!areInFolders(list)) return <PickAgain {...look} multiple text={t`Choose the files again`} />
  return PICKS_FOLDERS && <PickAgain {...look} multiple folder text={t`Choose the folder again`} />
}

/** Whether the files of an item that is many (F16) were shared as folders: every path then begins with the name of one. */
function areInFolders(list: PackList | undefined): boolean {
  if (list === undefined || list === 'unreadable') return false
  const [file] = list.files
  return file === undefined || file.path.includes('/')
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
      {isAnyChosen && (
        <PickAgain ids={files.map(({ item }) => item.id)} multiple text={text} label={text} on={on} />
      )}
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

interface PickAgainProps extends Pick<FileInputProps, 'multiple' | 'folder'> {
  ids: readonly ItemId[]
  text: string
  /** The name of the picker. */
  label: string
  on: Ground
}

function PickAgain({ ids, text, label, on, multiple = false, folder = false }: PickAgainProps) {
  const { actions } = useApp()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className={cx(css.button, css[on], css.main)}
        onClick={() => input.current?.click()}
      >
        {text}
      </button>
      <FileInput
        ref={input}
        label={label}
        multiple={multiple}
        folder={folder}
        reachedByMenu
        onChosen={(chosen) => actions.shareAgain(ids, chosen)}
      />
    </>
  )
}
