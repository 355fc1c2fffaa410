import { type InitialConfigType, LexicalComposer } from '@lexical/react/LexicalComposer'
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { ContentEditable } from '@lexical/react/LexicalContentEditable'
import { LexicalErrorBoundary } from '@lexical/react/LexicalErrorBoundary'
import { RichTextPlugin } from '@lexical/react/LexicalRichTextPlugin'
import { t } from '@lingui/core/macro'
import { type ReactNode, useEffect, useState } from 'react'
import type { RootNode } from '../../protocol/note-nodes'
import { readNoteState } from '../../protocol/note-state'
import { nodesOf, withText } from '../../protocol/rich-note'
import { EDITOR_THEME } from './editor-theme'
import { EditorToolbar } from './editor-toolbar'
import { NoteLimitError, registerNoteLimits } from './note-limits'
import { NOTE_NODES } from './note-node-list'
import { textImport } from './paste-rules'
import { PicturesPlugin, trustPicture } from './pictures-plugin'
import css from './rich-text.module.css'
import { TableResizer } from './table-resizer'
import { TextPlugins } from './text-plugins'
import { usePhone } from './use-phone'

interface RichTextProps {
  /** The initial content. */
  root: RootNode
  /** Text to append to it. */
  text: string
  title: ReactNode
  /** Null when the content could not be read by other devices, and must not be saved. */
  onChange: (root: RootNode | null) => void
  say: (text: string) => void
}

/** The text under its title, with the tools above it, or below it on phones. */
export function RichText({ root, text, title, onChange, say }: RichTextProps) {
  const phone = usePhone()
  const [config] = useState<InitialConfigType>(() => ({
    namespace: 'note',
    nodes: NOTE_NODES,
    theme: EDITOR_THEME,
    ...initialState(root, text),
    html: { import: textImport() },
    // The editor has reverted the change; nothing else is affected.
    onError: (error) => say(error instanceof NoteLimitError ? error.message : t`An error was thrown.`),
  }))
  return (
    <LexicalComposer initialConfig={config}>
      {!phone && <EditorToolbar phone={false} />}
      <div className={css.scroll}>
        <div className={css.column}>
          {title}
          <div className={css.paper}>
            <RichTextPlugin
              contentEditable={
                <ContentEditable
                  className={css.text}
                  aria-label={t`Note`}
                  aria-placeholder={t`Enter some rich text...`}
                  placeholder={<p className={css.placeholder}>{t`Enter some rich text...`}</p>}
                />
              }
              ErrorBoundary={LexicalErrorBoundary}
            />
          </div>
        </div>
      </div>
      {phone && <EditorToolbar phone />}
      <TextPlugins />
      <PicturesPlugin say={say} />
      <TableResizer />
      <ChangeNews onChange={onChange} />
    </LexicalComposer>
  )
}

/** The initial state. Without one the editor begins with an empty paragraph. */
function initialState(root: RootNode, text: string): Pick<InitialConfigType, 'editorState'> {
  const filled = withText(root, text)
  if (filled.children.length === 0) return {}
  for (const node of nodesOf(filled)) if (node.type === 'image') trustPicture(node.src)
  return { editorState: JSON.stringify({ root: filled }) }
}

/** Reports the content in the form that other devices read. */
function ChangeNews({ onChange }: { onChange: (root: RootNode | null) => void }) {
  const [editor] = useLexicalComposerContext()
  useEffect(() => registerNoteLimits(editor), [editor])
  useEffect(() => {
    const tell = () => onChange(readNoteState(editor.getEditorState().toJSON()))
    tell()
    return editor.registerUpdateListener(({ dirtyElements, dirtyLeaves }) => {
      if (dirtyElements.size > 0 || dirtyLeaves.size > 0) tell()
    })
  }, [editor, onChange])
  return null
}
