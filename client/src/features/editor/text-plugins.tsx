import { createEmptyHistoryState, registerHistory } from '@lexical/history'
import { createLinkMatcherWithRegExp } from '@lexical/link'
import { CHECK_LIST, TRANSFORMERS } from '@lexical/markdown'
import { AutoLinkPlugin } from '@lexical/react/LexicalAutoLinkPlugin'
import { CheckListPlugin } from '@lexical/react/LexicalCheckListPlugin'
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { LinkPlugin } from '@lexical/react/LexicalLinkPlugin'
import { ListPlugin } from '@lexical/react/LexicalListPlugin'
import { MarkdownShortcutPlugin } from '@lexical/react/LexicalMarkdownShortcutPlugin'
import { TabIndentationPlugin } from '@lexical/react/LexicalTabIndentationPlugin'
import { TablePlugin } from '@lexical/react/LexicalTablePlugin'
import { mergeRegister } from 'lexical'
import { memo, useEffect } from 'react'
import { linkUrl } from '../../protocol/link-url'
import { registerCheckListRoles } from './check-list-roles'
import { registerColourMarks } from './colour-marks'
import { registerStyleRule } from './paste-rules'
import { registerWayOut } from './way-out'

const MERGE_DELAY_MS = 1000
const UNDO_STEPS = 10

const WEB = /((https?:\/\/(www\.)?)|(www\.))[-\w@:%.+~#=]{1,256}\.[a-z]{2,}\b[-\w()@:%+.~#?&/=]*/i
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/
const MATCHERS = [WEB, MAIL].map((pattern) => createLinkMatcherWithRegExp(pattern, linkUrl))

/** Links open in a new tab and send no referrer. */
export const LINK_ATTRIBUTES = { rel: 'noreferrer', target: '_blank' }

const SHORTCUTS = [CHECK_LIST, ...TRANSFORMERS]

const isLink = (text: string) => linkUrl(text) === text

/** The plugins of the text. Rendered once, because plugins restart whenever their functions change. */
export const TextPlugins = memo(function TextPlugins() {
  return (
    <>
      <HistoryRule />
      <StyleRules />
      <ListPlugin />
      <CheckListPlugin />
      <LinkPlugin attributes={LINK_ATTRIBUTES} validateUrl={isLink} />
      <AutoLinkPlugin matchers={MATCHERS} />
      <TablePlugin hasHorizontalScroll />
      <TabIndentationPlugin />
      <MarkdownShortcutPlugin transformers={SHORTCUTS} />
    </>
  )
})

/** Keeps ten undo steps. Typing within one second is one step. */
function HistoryRule() {
  const [editor] = useLexicalComposerContext()
  useEffect(
    () => registerHistory(editor, createEmptyHistoryState(), MERGE_DELAY_MS, Date.now, undefined, UNDO_STEPS),
    [editor],
  )
  return null
}

function StyleRules() {
  const [editor] = useLexicalComposerContext()
  useEffect(
    () =>
      mergeRegister(
        registerStyleRule(editor),
        registerColourMarks(editor),
        registerCheckListRoles(editor),
        registerWayOut(editor),
      ),
    [editor],
  )
  return null
}
