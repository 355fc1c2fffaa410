import { t } from '@lingui/core/macro'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { RootNode } from '../../protocol/note-nodes'
import { bodyText, nodesOf } from '../../protocol/rich-note'
import { tabStorage } from '../../stores/site-storage'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FullPage } from '../../ui/full-page'
import { useApp } from '../actions'
import { ConflictDialog } from '../note/conflict-dialog'
import { GoneDialog } from '../note/gone-dialog'
import { NoteBoundary, NoteError } from '../note/note-boundary'
import { PicturesOf } from '../note/picture-url'
import { type Draft, dropDraft, useKeptDraft } from './draft'
import css from './note-editor.module.css'
import { useElsewhere, useOpened } from './opened-note'
import { createPlacedPictures, PlacedPicturesContext } from './placed-pictures'
import { RichText } from './rich-text'
import { TitleField } from './title-field'

type Asking = 'no' | 'discard' | 'changed' | 'gone'

interface NoteEditorProps {
  /** Null for a new note. */
  id: ItemId | null
  /** What was typed before the editor opened. */
  text: string
  /** Whether a new note is for one device. Its draft is not kept, because a later new note is for everybody. */
  isPrivate?: boolean
}

/** The editor of a new note or an existing one. */
export function NoteEditor({ id, text, isPrivate = false }: NoteEditorProps) {
  const { actions } = useApp()
  const opened = useOpened(id, isPrivate)
  const { note, title, setTitle, setRoot, isChanged, placed } = useNote(opened, text)
  const [news, setNews] = useState('')
  const [asking, setAsking] = useState<Asking>('no')
  const body = useRef<HTMLDivElement>(null)
  const titleRef = useRef<HTMLTextAreaElement>(null)
  const elsewhere = useElsewhere(id, opened.base)
  useKeptDraft(id, isChanged && !isPrivate ? note : null)
  // Showing the page has moved the focus to its first button.
  useLayoutEffect(() => {
    if (id === null && text === '') titleRef.current?.focus()
    else focusEnd(body)
  }, [id, text])
  const close = () => {
    if (!isPrivate) dropDraft(tabStorage)
    actions.notes.close()
  }
  const leave = () => (isChanged ? setAsking('discard') : close())
  const saveBy = (how: (note: Draft) => string | null) => {
    const refusal = note && how(note)
    if (refusal !== null) setNews(refusal)
    else if (!isPrivate) dropDraft(tabStorage)
  }
  const save = () => (elsewhere === 'same' ? saveBy(actions.notes.save) : setAsking(elsewhere))
  const canSave = note !== null && !isEmpty(note)
  const onKey = (event: KeyboardEvent) => {
    if (!isSaving(event)) return
    const isAsked = asking !== 'no'
    // A selected picture takes Ctrl+Enter for its size, and a question for the answer that has the focus.
    if (event.key === 'Enter' && (isAsked || body.current?.querySelector('[data-selected]'))) return
    // Otherwise the text gets a line, or the browser saves the page.
    event.preventDefault()
    event.stopPropagation()
    if (canSave && !isAsked) save()
  }
  const buttons = (
    <>
      <Button look="ghost" onClick={leave}>
        {t`Cancel`}
      </Button>
      <Button look="primary" disabled={!canSave} aria-keyshortcuts="Control+Enter" onClick={save}>
        {id === null ? t`Save` : t`Update`}
      </Button>
    </>
  )
  const titleField = (
    <TitleField ref={titleRef} title={title} onTitle={setTitle} onDone={() => focusText(body)} />
  )
  return (
    <FullPage
      title={id === null ? t`Create New Note` : t`Edit Note`}
      buttons={buttons}
      onLeave={leave}
      onKey={onKey}
    >
      <div ref={body} className={css.body}>
        <p className={css.news} role="alert">
          {news || newsFrom(elsewhere)}
        </p>
        <PlacedPicturesContext value={placed}>
          {opened.root === null ? (
            <Broken />
          ) : (
            <NoteBoundary>
              <PicturesOf value={id}>
                <RichText
                  root={opened.root}
                  text={text}
                  title={titleField}
                  onChange={setRoot}
                  say={setNews}
                />
              </PicturesOf>
            </NoteBoundary>
          )}
        </PlacedPicturesContext>
      </div>
      <Question
        asking={asking}
        isNew={id === null}
        onSave={() => saveBy(actions.notes.save)}
        onBoth={() => saveBy(actions.notes.saveCopy)}
        onDiscard={close}
        onClose={() => setAsking('no')}
      />
    </FullPage>
  )
}

interface QuestionProps {
  asking: Asking
  isNew: boolean
  onSave: () => void
  onBoth: () => void
  onDiscard: () => void
  onClose: () => void
}

/** Asks before a version of the note is lost. */
function Question({ asking, isNew, onSave, onBoth, onDiscard, onClose }: QuestionProps) {
  switch (asking) {
    case 'no':
      return null
    case 'discard':
      return (
        <ConfirmDialog
          title={isNew ? t`Discard this note?` : t`Discard the changes?`}
          question={t`What you wrote has not been saved.`}
          action={t`Discard`}
          onConfirm={onDiscard}
          onClose={onClose}
        />
      )
    case 'changed':
      return (
        <ConflictDialog what="note" onMine={onSave} onTheirs={onDiscard} onBoth={onBoth} onClose={onClose} />
      )
    case 'gone': {
      const share = () => {
        onClose()
        onSave()
      }
      return <GoneDialog what="note" onShare={share} onDiscard={onDiscard} onClose={onClose} />
    }
  }
}

function newsFrom(elsewhere: ReturnType<typeof useElsewhere>): string {
  switch (elsewhere) {
    case 'same':
      return ''
    case 'changed':
      return t`Another device has changed this note. When you update it, you can keep your version, theirs or both.`
    case 'gone':
      return t`This note was deleted. When you update it, you can share your version as a new note.`
  }
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

/** Ctrl+Enter, as for a text on its card, and Ctrl+S; on a Mac with Command. */
function isSaving({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && (key === 'Enter' || key.toLowerCase() === 's')
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
