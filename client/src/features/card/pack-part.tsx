import { t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import X from 'lucide-react/icons/x'
import { useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { fileCategory, type Item } from '../../protocol/item'
import type { PlacedFile } from '../../protocol/manifest'
import type { Save } from '../../stores/saves'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { useKeptFocus } from '../../ui/kept-focus'
import { Progress } from '../../ui/progress'
import { useRowWindow } from '../../ui/row-window'
import { useApp } from '../actions'
import { fileIcon, nameOf } from '../item/describe'
import { FileName } from '../transfer/file-name'
import type { Ground } from '../transfer/file-row'
import { canSave, type FileView, fraction, isReceived } from '../transfer/file-view'
import { formatBytes, formatPart } from '../transfer/format-bytes'
import { usePack } from '../transfer/use-pack'
import { savingText } from './batch-face'
import face from './batch-face.module.css'
import css from './batch-files.module.css'
import { FoldButton, SHOWN_CLOSED } from './fold-button'
import { useOwnWheel } from './own-wheel'
import pack from './pack-part.module.css'

/** The height of a row in rem, as in the style sheet. */
const ROW_REM = 3.25

/** What an item that is many files (F16) has below its transfers: the list of its files, and the button for all. */
export function PackPart({ item, view, on }: { item: Item; view: FileView; on: Ground }) {
  const list = usePack(item)
  if (list === undefined) return null
  if (list === 'unreadable')
    return (
      <p className={pack.note}>{t`The list of these files cannot be read. They can be saved as one file.`}</p>
    )
  const canBeSaved = isReceived(view) && canSave(view)
  return (
    <div className={face.batch} data-on={on}>
      <Ways item={item} canSave={canBeSaved} on={on} />
      {list.files.length > 0 && <Files item={item} list={list.files} canSave={canBeSaved} on={on} />}
    </div>
  )
}

interface FilesProps {
  item: Item
  list: readonly PlacedFile[]
  canSave: boolean
  on: Ground
}

function Files({ item, list, canSave, on }: FilesProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const count = list.length
  const isCut = count > SHOWN_CLOSED
  const Shown = isOpen || !isCut ? AllFiles : FirstFiles
  return (
    <>
      <Shown id={id} item={item} list={list} canSave={canSave} on={on} />
      {isCut && (
        <FoldButton list={id} count={count} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} on={on} />
      )}
    </>
  )
}

function FirstFiles({ id, item, list, canSave, on }: FilesProps & { id: string }) {
  return (
    <ul id={id} className={css.files} data-on={on} aria-label={nameOf(item.content)}>
      {list.slice(0, SHOWN_CLOSED).map((file) => (
        <li key={file.path} className={css.file}>
          <Row item={item} file={file} canSave={canSave} on={on} />
        </li>
      ))}
    </ul>
  )
}

/** Of ten thousand rows only those near the visible ones exist. */
function AllFiles({ id, item, list, canSave, on }: FilesProps & { id: string }) {
  const element = useRef<HTMLUListElement>(null)
  useOwnWheel(element)
  const { first, end } = useRowWindow(element, list.length, ROW_REM)
  return (
    <ul
      ref={element}
      id={id}
      className={`${css.files} ${pack.scroll}`}
      data-on={on}
      aria-label={nameOf(item.content)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll the list that has the focus
      tabIndex={0}
    >
      <li aria-hidden="true" style={{ height: `${first * ROW_REM}rem` }} />
      {list.slice(first, end).map((file, at) => (
        <li
          key={file.path}
          className={`${css.file} ${pack.row}`}
          aria-setsize={list.length}
          aria-posinset={first + at + 1}
        >
          <Row item={item} file={file} canSave={canSave} on={on} />
        </li>
      ))}
      <li aria-hidden="true" style={{ height: `${(list.length - end) * ROW_REM}rem` }} />
    </ul>
  )
}

function Row({ item, file, canSave, on }: Omit<FilesProps, 'list'> & { file: PlacedFile }) {
  const { stores, actions } = useApp()
  const isSaving = useStore(stores.saves, ({ saves }) => saves[item.id] !== undefined)
  const { path: name, size, type } = file
  const { content } = item
  // The title names the folder already.
  const root = content.kind === 'file' && content.manifest?.folder ? name.indexOf('/') + 1 : 0
  const icon = fileIcon({ category: fileCategory(type), name })
  return (
    <>
      <span className={css.icon}>
        <Icon of={icon} size={on === 'note' ? 16 : 18} />
      </span>
      <div className={css.words}>
        <div className={css.name}>
          <FileName name={name.slice(root)} />
        </div>
        <div className={css.meta}>
          <span>{formatBytes(size)}</span>
        </div>
      </div>
      {canSave && (
        <button
          type="button"
          className={css.take}
          data-on={on}
          aria-label={t`Save ${name}`}
          // It keeps the focus, which a disabled button loses.
          aria-disabled={isSaving || undefined}
          onClick={() => void actions.savePacked(item.id, file)}
        >
          {t`Save`}
        </button>
      )}
    </>
  )
}

/** The ways to save it: all of it once it is here, or what is chosen, also before. */
function Ways({ item, canSave, on }: { item: Item; canSave: boolean; on: Ground }) {
  const { stores } = useApp()
  const save = useStore(stores.saves, ({ saves }) => saves[item.id])
  const isOwn = useStore(stores.devices, ({ me }) => item.from === null || item.from === me)
  const ref = useRef<HTMLDivElement>(null)
  const keeps = useKeptFocus(ref)
  // An own item is saved only where the server alone has it.
  if (!save && isOwn && !canSave) return null
  return (
    <div ref={ref} {...keeps}>
      {save ? (
        <Saving item={item} save={save} on={on} />
      ) : (
        <WayButtons item={item} canSave={canSave} on={on} />
      )}
    </div>
  )
}

function WayButtons({ item, canSave, on }: { item: Item; canSave: boolean; on: Ground }) {
  const { stores, actions } = useApp()
  return (
    <div className={face.foot}>
      <span className={face.buttons}>
        <button
          type="button"
          className={face.button}
          data-on={on}
          aria-haspopup="dialog"
          onClick={() => stores.beamDialog.setState({ kind: 'contents', card: item.id }, true)}
        >
          {t`Choose…`}
        </button>
        {canSave && (
          <button
            type="button"
            className={face.button}
            data-on={on}
            data-main
            onClick={() => void actions.saveAll(item.id)}
          >
            <Icon of={Download} size={16} />
            {t`Save all`}
          </button>
        )}
      </span>
    </div>
  )
}

function Saving({ item, save, on }: { item: Item; save: Save; on: Ground }) {
  const { actions } = useApp()
  const text = savingText(save)
  const isCut = save.status === 'saving' && save.isCut
  return (
    <div className={face.sum}>
      {save.status === 'saving' && <Progress value={savedPart(save)} label={text} look={on} />}
      <div className={face.foot}>
        <span className={face.state}>
          <span>{isCut ? t`Waiting to go on` : text}</span>
          {save.status === 'saving' && (
            <>
              {' · '}
              <bdi>{formatPart(save.bytes, save.size)}</bdi>
            </>
          )}
        </span>
        <span className={face.buttons}>
          <IconButton
            icon={X}
            label={t`Cancel`}
            look={on === 'note' ? 'well' : 'fill'}
            iconSize={on === 'note' ? 16 : 20}
            onClick={() => actions.stopSaving(item.id)}
          />
        </span>
      </div>
    </div>
  )
}

/** Returns the part that is saved, from 0 to 1. Where all files are empty, their number is all there is. */
function savedPart({ bytes, size, saved, of }: Extract<Save, { status: 'saving' }>): number {
  return size > 0 ? fraction(bytes, size) : fraction(saved, of)
}
