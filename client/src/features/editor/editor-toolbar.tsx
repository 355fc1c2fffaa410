import {
  INSERT_CHECK_LIST_COMMAND,
  INSERT_ORDERED_LIST_COMMAND,
  INSERT_UNORDERED_LIST_COMMAND,
  REMOVE_LIST_COMMAND,
} from '@lexical/list'
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import {
  CAN_REDO_COMMAND,
  CAN_UNDO_COMMAND,
  COMMAND_PRIORITY_LOW,
  FORMAT_ELEMENT_COMMAND,
  FORMAT_TEXT_COMMAND,
  INDENT_CONTENT_COMMAND,
  type LexicalCommand,
  type LexicalEditor,
  mergeRegister,
  OUTDENT_CONTENT_COMMAND,
  REDO_COMMAND,
  UNDO_COMMAND,
} from 'lexical'
import Baseline from 'lucide-react/icons/baseline'
import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import Highlighter from 'lucide-react/icons/highlighter'
import Italic from 'lucide-react/icons/italic'
import List from 'lucide-react/icons/list'
import ListChecks from 'lucide-react/icons/list-checks'
import Outdent from 'lucide-react/icons/list-indent-decrease'
import Indent from 'lucide-react/icons/list-indent-increase'
import ListOrdered from 'lucide-react/icons/list-ordered'
import PaintBucket from 'lucide-react/icons/paint-bucket'
import Redo2 from 'lucide-react/icons/redo-2'
import Strikethrough from 'lucide-react/icons/strikethrough'
import AlignCenter from 'lucide-react/icons/text-align-center'
import AlignEnd from 'lucide-react/icons/text-align-end'
import AlignJustify from 'lucide-react/icons/text-align-justify'
import AlignStart from 'lucide-react/icons/text-align-start'
import Underline from 'lucide-react/icons/underline'
import Undo2 from 'lucide-react/icons/undo-2'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { forward } from '../../ui/direction'
import type { Glyph } from '../../ui/icon'
import { Select } from '../../ui/select'
import { ColourPopover } from './colour-popover'
import { GROUND_COLOURS, TEXT_COLOURS } from './colours'
import css from './editor-toolbar.module.css'
import { LinkPopover } from './link-popover'
import { PictureTool } from './picture-tool'
import { TablePopover } from './table-popover'
import { Tool } from './tool'
import {
  $readTools,
  type BlockType,
  FONT_SIZES,
  type FORMATS,
  type ListType,
  NO_TOOLS,
  run,
  setBlockType,
  setStyle,
  type Tools,
} from './tools'

/** The tools of the editor in one row. On phones the most used come first, and the row scrolls. */
export function EditorToolbar({ phone }: { phone: boolean }) {
  const [editor] = useLexicalComposerContext()
  const tools = useTools(editor)
  const parts = { editor, tools }
  return (
    <div className={css.toolbar} role="toolbar" aria-label={t`Formatting`} onKeyDown={walk}>
      {phone ? (
        <>
          <SizeTool {...parts} />
          <TextTools {...parts} only={['bold', 'italic', 'highlight']} />
          <ListTools {...parts} only={['check']} />
          <InsertTools {...parts} />
          <TextTools {...parts} only={['underline', 'strikethrough', 'code']} />
          <ColourTools editor={editor} />
          <BlockTool {...parts} />
          <ListTools {...parts} only={['bullet', 'number']} />
          <PlaceTools {...parts} />
          <HistoryTools editor={editor} />
        </>
      ) : (
        <>
          <HistoryTools editor={editor} />
          <span className={css.line} />
          <BlockTool {...parts} />
          <SizeTool {...parts} />
          <span className={css.line} />
          <TextTools {...parts} only={['bold', 'italic', 'underline', 'strikethrough', 'code']} />
          <span className={css.line} />
          <ColourTools editor={editor} />
          <TextTools {...parts} only={['highlight']} />
          <span className={css.line} />
          <ListTools {...parts} only={['bullet', 'number', 'check']} />
          <PlaceTools {...parts} />
          <span className={css.line} />
          <InsertTools {...parts} />
        </>
      )}
    </div>
  )
}

interface PartProps {
  editor: LexicalEditor
  tools: Tools
}

function useTools(editor: LexicalEditor): Tools {
  const [tools, setTools] = useState(NO_TOOLS)
  useEffect(
    () =>
      editor.registerUpdateListener(({ editorState }) => {
        const read = editorState.read($readTools, { editor })
        if (read) setTools(read)
      }),
    [editor],
  )
  return tools
}

function HistoryTools({ editor }: { editor: LexicalEditor }) {
  const [can, setCan] = useState({ undo: false, redo: false })
  useEffect(() => {
    const hear = (command: LexicalCommand<boolean>, name: 'undo' | 'redo') =>
      editor.registerCommand(
        command,
        (possible) => {
          setCan((old) => ({ ...old, [name]: possible }))
          return false
        },
        COMMAND_PRIORITY_LOW,
      )
    return mergeRegister(hear(CAN_UNDO_COMMAND, 'undo'), hear(CAN_REDO_COMMAND, 'redo'))
  }, [editor])
  return (
    <>
      <Tool
        icon={Undo2}
        label={t`Undo`}
        disabled={!can.undo}
        onUse={() => run(editor, UNDO_COMMAND, undefined)}
      />
      <Tool
        icon={Redo2}
        label={t`Redo`}
        disabled={!can.redo}
        onUse={() => run(editor, REDO_COMMAND, undefined)}
      />
    </>
  )
}

const BLOCKS: readonly { value: BlockType; label: MessageDescriptor }[] = [
  { value: 'paragraph', label: msg`Paragraph` },
  { value: 'h1', label: msg`Heading 1` },
  { value: 'h2', label: msg`Heading 2` },
  { value: 'h3', label: msg`Heading 3` },
  { value: 'quote', label: msg`Quote` },
  { value: 'code', label: msg`Code block` },
]

function BlockTool({ editor, tools }: PartProps) {
  const onChange = (type: BlockType) => {
    setBlockType(editor, type)
    editor.focus()
  }
  const options = BLOCKS.map(({ value, label }) => ({ value, label: i18n._(label) }))
  return (
    <Select look="tool" label={t`Kind of text`} value={tools.block} options={options} onChange={onChange} />
  )
}

const SIZES = FONT_SIZES.map((size) => ({ value: String(size), label: String(size) }))

function SizeTool({ editor, tools: { fontSize } }: PartProps) {
  // Pasted text may have any size; a selection of several sizes has none.
  const options = SIZES.some(({ value }) => value === fontSize)
    ? SIZES
    : [{ value: fontSize, label: fontSize || '–' }, ...SIZES]
  const onChange = (size: string) => {
    setStyle(editor, { 'font-size': `${size}px` })
    editor.focus()
  }
  return <Select look="tool" label={t`Font size`} value={fontSize} options={options} onChange={onChange} />
}

type Format = (typeof FORMATS)[number]

const TEXT_TOOLS: Readonly<Record<Format, { icon: Glyph; label: MessageDescriptor }>> = {
  bold: { icon: Bold, label: msg`Bold` },
  italic: { icon: Italic, label: msg`Italic` },
  underline: { icon: Underline, label: msg`Underline` },
  strikethrough: { icon: Strikethrough, label: msg`Strikethrough` },
  code: { icon: Code, label: msg`Code` },
  highlight: { icon: Highlighter, label: msg({ message: 'Mark', comment: 'Marks text as with a pen' }) },
}

function TextTools({ editor, tools, only }: PartProps & { only: readonly Format[] }) {
  return only.map((format) => (
    <Tool
      key={format}
      icon={TEXT_TOOLS[format].icon}
      label={i18n._(TEXT_TOOLS[format].label)}
      pressed={tools.formats.has(format)}
      onUse={() => run(editor, FORMAT_TEXT_COMMAND, format)}
    />
  ))
}

function ColourTools({ editor }: { editor: LexicalEditor }) {
  const pick = (property: string) => (value: string | null) => {
    setStyle(editor, { [property]: value })
    editor.focus()
  }
  return (
    <>
      <ColourPopover icon={Baseline} label={t`Text colour`} colours={TEXT_COLOURS} onPick={pick('color')} />
      <ColourPopover
        icon={PaintBucket}
        label={t`Background colour`}
        colours={GROUND_COLOURS}
        onPick={pick('background-color')}
      />
    </>
  )
}

const LISTS = {
  bullet: { icon: List, label: msg`Bulleted list`, command: INSERT_UNORDERED_LIST_COMMAND },
  number: { icon: ListOrdered, label: msg`Numbered list`, command: INSERT_ORDERED_LIST_COMMAND },
  check: { icon: ListChecks, label: msg`Check list`, command: INSERT_CHECK_LIST_COMMAND },
} as const

function ListTools({ editor, tools, only }: PartProps & { only: readonly ListType[] }) {
  return only.map((type) => {
    const { icon, label, command } = LISTS[type]
    const isOn = tools.list === type
    return (
      <Tool
        key={type}
        icon={icon}
        label={i18n._(label)}
        pressed={isOn}
        onUse={() => run(editor, isOn ? REMOVE_LIST_COMMAND : command, undefined)}
      />
    )
  })
}

const ALIGNMENTS = [
  { format: 'start', icon: AlignStart, label: msg`Align to start` },
  { format: 'center', icon: AlignCenter, label: msg`Align centre` },
  { format: 'end', icon: AlignEnd, label: msg`Align to end` },
  { format: 'justify', icon: AlignJustify, label: msg`Justify` },
] as const

function PlaceTools({ editor, tools }: PartProps) {
  return (
    <>
      <Tool icon={Outdent} label={t`Outdent`} onUse={() => run(editor, OUTDENT_CONTENT_COMMAND, undefined)} />
      <Tool icon={Indent} label={t`Indent`} onUse={() => run(editor, INDENT_CONTENT_COMMAND, undefined)} />
      <span className={css.line} />
      {ALIGNMENTS.map(({ format, icon, label }) => (
        <Tool
          key={format}
          icon={icon}
          label={i18n._(label)}
          pressed={tools.alignment === format}
          onUse={() => run(editor, FORMAT_ELEMENT_COMMAND, format)}
        />
      ))}
    </>
  )
}

function InsertTools({ editor, tools }: PartProps) {
  return (
    <>
      <LinkPopover editor={editor} link={tools.link} />
      <PictureTool editor={editor} />
      <TablePopover editor={editor} inTable={tools.inTable} />
    </>
  )
}

/** The arrow keys move the focus along the toolbar (WAI-ARIA). A list of choices keeps its own arrow keys. */
function walk(event: KeyboardEvent<HTMLDivElement>) {
  const step = { ArrowRight: forward(), ArrowLeft: -forward() }[event.key]
  if (!step || !(event.target instanceof HTMLButtonElement)) return
  const tools = [...event.currentTarget.querySelectorAll<HTMLElement>(':scope > :is(button, span > select)')]
  const at = tools.indexOf(event.target)
  if (at < 0) return
  event.preventDefault()
  tools[(at + step + tools.length) % tools.length]?.focus()
}
