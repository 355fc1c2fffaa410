import { t } from '@lingui/core/macro'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { RootNode } from '../../protocol/note-nodes'
import { bodyText, nodesOf } from '../../protocol/rich-note'
import { tabStorage } from '../../stores/site-storage'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FullPage } from '../../ui/full-page'
import { useApp } from '../actions'
import { ConflictDialog } from '../note/conflict-dialog'
import { NoteBoundary, NoteError } from '../note/note-boundary'
import { type Draft, dropDraft, useKeptDraft } from './draft'
import css from './note-editor.module.css'
import { useChangedElsewhere, useOpened } from './opened-note'
import { createPlacedPictures, PlacedPicturesContext } from './placed-pictures'
import { RichText } from './rich-text'
import { TitleField } from './title-field'

/** The editor of a new note (no id) or an existing one. `text` is what was typed before it opened. */
export function NoteEditor({ id, text }: { id: ItemId | null; text: string }) {
  const { actions } = useApp()
  const opened = useOpened(id)
  const { note, title, setTitle, setRoot, isChanged, placed } = useNote(opened, text)
  const [news, setNews] = useState('')
  const [asking, setAsking] = useState<'no' | 'discard' | 'conflict'>('no')
  const body = useRef<HTMLDivElement>(null)
  const titleRef = useRef<HTMLTextAreaElement>(null)
  const changedElsewhere = useChangedElsewhere(id, opened.base)
  useKeptDraft(id, isChanged ? note : null)
  // Showing the page has moved the focus to its first button.
  useLayoutEffect(() => {
    if (id === null && text === '') titleRef.current?.focus()
    else focusEnd(body)
  }, [id, text])
  const close = () => {
    dropDraft(tabStorage)
    actions.notes.close()
  }
  const leave = () => (isChanged ? setAsking('discard') : close())
  const saveBy = (how: (note: Draft) => string | null) => {
    const refusal = note && how(note)
    if (refusal === null) dropDraft(tabStorage)
    else setNews(refusal)
  }
  const save = () => (changedElsewhere ? setAsking('conflict') : saveBy(actions.notes.save))
  const buttons = (
    <>
      <Button look="ghost" onClick={leave}>
        {t`Cancel`}
      </Button>
      <Button look="primary" disabled={!note || isEmpty(note)} onClick={save}>
        {id === null ? t`Save` : t`Update`}
      </Button>
    </>
  )
  const titleField = (
    <TitleField ref={titleRef} title={title} onTitle={setTitle} onDone={() => focusText(body)} />
  )
  return (
    <FullPage title={id === null ? t`Create New Note` : t`Edit Note`} buttons={buttons} onLeave={leave}>
      <div ref={body} className={css.body}>
        <p className={css.news} role="alert">
          {news ||
            (changedElsewhere &&
              t`Another device has changed this note. When you update it, you can keep your version, theirs or both.`)}
        </p>
        <PlacedPicturesContext value={placed}>
          {opened.root === null ? (
            <Broken />
          ) : (
            <NoteBoundary>
              <RichText root={opened.root} text={text} title={titleField} onChange={setRoot} say={setNews} />
            </NoteBoundary>
          )}
        </PlacedPicturesContext>
      </div>
      {asking === 'discard' && (
        <ConfirmDialog
          title={id === null ? t`Discard this note?` : t`Discard the changes?`}
          question={t`What you wrote has not been saved.`}
          action={t`Discard`}
          onConfirm={close}
          onClose={() => setAsking('no')}
        />
      )}
      {asking === 'conflict' && (
        <ConflictDialog
          what="note"
          onMine={() => saveBy(actions.notes.save)}
          onTheirs={close}
          onBoth={() => saveBy(actions.notes.saveCopy)}
          onClose={() => setAsking('no')}
        />
      )}
    </FullPage>
  )
}

/** The current content, and whether it differs from the original. */
function useNote(opened: ReturnType<typeof useOpened>, text: string) {
  const [placed] = useState(createPlacedPictures)
  const [title, setTitle] = useState(opened.title)
  const [root, put] = useState<RootNode | null>(null)
  const first = useRef<string | null>(null)
  const setRoot = useCallback((next: RootNode | null) => {
    // The original as the editor serializes it, for the comparison.
    if (next) first.current ??= JSON.stringify(next)
    put(next)
  }, [])
  useEffect(() => {
    for (const picture of opened.pictures) placed.add(picture)
    return () => placed.end()
  }, [opened, placed])
  const note = useMemo<Draft | null>(
    () => root && { base: opened.base, title, root, pictures: placed.among(sourcesOf(root)) },
    [opened, title, root, placed],
  )
  const wasChanged = opened.isDraft || text !== '' || title !== opened.title
  const isChanged = wasChanged || (root !== null && JSON.stringify(root) !== first.current)
  return { note, title, setTitle, setRoot, isChanged, placed }
}

function Broken() {
  return (
    <div className={css.broken}>
      <NoteError />
    </div>
  )
}

function sourcesOf(root: RootNode): ReadonlySet<string> {
  return new Set([...nodesOf(root)].flatMap((node) => (node.type === 'image' ? [node.src] : [])))
}

function isEmpty({ title, root }: Draft): boolean {
  return title.trim() === '' && bodyText(root) === '' && sourcesOf(root).size === 0
}

/** Puts the caret behind the text that is there. */
function focusEnd(body: RefObject<HTMLElement | null>): void {
  focusText(body)
  const [text, selection] = [document.activeElement, document.getSelection()]
  if (!text || !selection || !body.current?.contains(text)) return
  selection.selectAllChildren(text)
  selection.collapseToEnd()
}

function focusText(body: RefObject<HTMLElement | null>): void {
  body.current?.querySelector<HTMLElement>('[contenteditable]')?.focus()
}
