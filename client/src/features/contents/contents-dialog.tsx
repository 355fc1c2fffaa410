import { plural, t } from '@lingui/core/macro'
import { useEffect, useId, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import type { Manifest } from '../../protocol/manifest'
import { Choice, packTree } from '../../protocol/pack-tree'
import { savableOf } from '../../stores/downloads'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import { packTitleOf } from '../item/describe'
import { formatBytes } from '../transfer/format-bytes'
import { CheckMark } from './check-mark'
import css from './contents-dialog.module.css'
import { ContentsTree } from './contents-tree'

/** What is in an item that is many files (F16), to choose what is saved of it: before it is here, or after. */
export function ContentsDialog({ card: id, onClose }: { card: ItemId; onClose: () => void }) {
  const { stores } = useApp()
  const list = useStore(stores.packs, ({ lists }) => lists[id])
  const item = useStore(stores.items, ({ items }) => items.find((one) => one.id === id))
  const isGone = !item || !list || list === 'unreadable'
  useEffect(() => {
    if (isGone) onClose()
  }, [isGone, onClose])
  return isGone ? null : <Contents item={item} manifest={list} onClose={onClose} />
}

function Contents({ item, manifest, onClose }: { item: Item; manifest: Manifest; onClose: () => void }) {
  const { stores, actions } = useApp()
  const language = useStore(stores.language, (state) => state.language)
  const tree = useMemo(() => packTree(manifest, language), [manifest, language])
  const [choice, setChoice] = useState(() => Choice.ofAll(tree))
  const part = useMemo(() => choice.partOf(manifest, tree), [choice, manifest, tree])
  const isSaving = useStore(stores.saves, ({ saves }) => saves[item.id] !== undefined)
  const count = part.files.length
  // Without a folder to save into, files are an archive anyway.
  const hasZip = actions.canPickFolder && actions.canPickFile
  const isNothing = count + part.folders.length === 0
  const save = (as: 'files' | 'zip') => {
    void actions.saveChosen(item.id, part, as)
    onClose()
  }
  return (
    <Dialog
      title={t`Choose what to save`}
      sub={packTitleOf(item.content) ?? ''}
      width="wide"
      cross
      onClose={onClose}
    >
      <All
        state={choice.of({ first: 0, end: tree.leaves })}
        part={part}
        onToggle={() => setChoice(choice.toggled({ first: 0, end: tree.leaves }))}
      />
      <ContentsTree tree={tree} choice={choice} onChoose={setChoice} label={t`Files and folders`} />
      <DialogFoot>
        {hasZip && (
          <Button look="quiet" disabled={isNothing || isSaving} onClick={() => save('zip')}>
            {t`Save as zip…`}
          </Button>
        )}
        <Button
          look="primary"
          className={hasZip ? undefined : css.only}
          disabled={isNothing || isSaving}
          onClick={() => save('files')}
        >
          <SaveText item={item} count={count} />
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** The check mark for everything, and what is chosen. */
function All(props: { state: 'all' | 'some' | 'none'; part: Manifest; onToggle: () => void }) {
  const { state, part, onToggle } = props
  const id = useId()
  const size = formatBytes(part.files.reduce((sum, file) => sum + file.size, 0))
  const count = part.files.length
  return (
    <div className={css.all}>
      <label className={css.toggle}>
        <input
          ref={(box) => {
            if (box) box.indeterminate = state === 'some'
          }}
          type="checkbox"
          className="visually-hidden"
          checked={state === 'all'}
          aria-describedby={id}
          onChange={onToggle}
        />
        <CheckMark state={state} />
        {t`Select all`}
      </label>
      <span id={id} className={css.sum} aria-live="polite">
        {plural(count, { one: '# file', other: '# files' })} · <bdi>{size}</bdi>
      </span>
    </div>
  )
}

function SaveText({ item, count }: { item: Item; count: number }) {
  const { stores } = useApp()
  const canSave = useStore(stores.transfers, () => savableOf([item.id], stores).length > 0)
  if (!canSave) return t`Save when it is here`
  return plural(count, { 0: 'Save', one: 'Save # file', other: 'Save # files' })
}
