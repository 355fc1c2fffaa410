/** The content of a rich note, drawn read-only from its checked nodes. The editor draws it by itself. */

import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { createElement, type ReactNode, useMemo } from 'react'
import { type CheckItem, checkItems, type Tick } from '../../protocol/check-list'
import { type Markup, markupOf } from '../../protocol/note-markup'
import type { RootNode } from '../../protocol/note-nodes'
import css from './note-content.module.css'
import { NotePicture } from './note-picture'

/** On the gradient of a card (`note`) all text is white; in a list and on a page the note's colours are shown. */
export type Tone = 'note' | 'list' | 'page'

const LOOKS = {
  note: `${css.content} ${css.compact} ${css.note}`,
  list: `${css.content} ${css.compact} ${css.surface}`,
  page: `${css.content} ${css.page} ${css.surface}`,
}

interface NoteContentProps {
  root: RootNode
  tone: Tone
  /** Makes the boxes of check lists something to press. */
  onTick?: ((tick: Tick) => void) | undefined
}

export function NoteContent({ root, tone, onTick }: NoteContentProps) {
  const { locale } = i18n
  // biome-ignore lint/correctness/useExhaustiveDependencies: some parts have a label in the language of the page
  const drawn = useMemo(() => {
    const boxes = onTick && { items: checkItems(root), next: 0, onTick }
    return markupOf(root.children).map((part) => draw(part, tone, boxes))
  }, [root, tone, onTick, locale])
  return createElement('div', { className: LOOKS[tone], dir: 'auto' }, ...drawn)
}

/** The items of check lists, and how many boxes are drawn so far. */
interface Boxes {
  readonly items: readonly CheckItem[]
  next: number
  readonly onTick: (tick: Tick) => void
}

function draw(part: Markup | string, tone: Tone, boxes: Boxes | undefined): ReactNode {
  if (typeof part === 'string') return part
  const { tag, attributes = {}, style = {} } = part
  if (tag === 'img')
    return <NotePicture src={attributes.src ?? ''} alt={attributes.alt ?? ''} style={cssOf(style)} />
  if (boxes && attributes['data-box']) return drawBox(attributes['data-box'], boxes)
  const children = part.children.map((child) => draw(child, tone, boxes))
  // In a card a table takes the card's width.
  const shown = tone !== 'page' && ['col', 'td', 'th'].includes(tag) ? without(style, 'width') : style
  const props = { ...propsOf(attributes), ...(Object.keys(shown).length > 0 && { style: cssOf(shown) }) }
  if (tag === 'table') return <Scrolling tone={tone}>{createElement(tag, props, ...children)}</Scrolling>
  const level = /^h([1-6])$/.exec(tag)?.[1]
  // The page and the note already have headings above these.
  if (level)
    return createElement(`h${Math.min(6, Number(level) + 2)}`, { ...props, 'data-level': level }, ...children)
  return createElement(tag, props, ...children)
}

/** Boxes are drawn in the order in which their items are read. */
function drawBox(state: string, boxes: Boxes): ReactNode {
  const number = boxes.next
  boxes.next += 1
  const item = boxes.items[number]
  if (!item) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: the box is drawn like that of the editor
    <button
      type="button"
      role="checkbox"
      aria-checked={item.checked}
      aria-label={item.text || t`Item`}
      data-box={state}
      onClick={() => boxes.onTick({ ...item, number, checked: !item.checked })}
    />
  )
}

/** Makes a wide table scroll sideways on a page; in a card it is fitted to the width. */
function Scrolling({ tone, children }: { tone: Tone; children: ReactNode }) {
  if (tone !== 'page') return children
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too
    <section className={css.scroll} aria-label={t`Table`} tabIndex={0}>
      {children}
    </section>
  )
}

function without(style: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(style).filter(([property]) => property !== name))
}

const PROP_NAMES: Readonly<Record<string, string>> = { colspan: 'colSpan', rowspan: 'rowSpan' }

function propsOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [PROP_NAMES[name] ?? name, value]),
  )
}

const VARIABLES: Readonly<Record<string, string>> = {
  color: '--ink',
  'background-color': '--ground',
  'font-size': '--size',
}

/** The note's own styles as CSS variables, which the style sheet applies as each place and theme allow. */
function cssOf(style: Readonly<Record<string, string>>): Record<string, string> {
  const camelCase = (name: string) =>
    name.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    Object.entries(style).map(([name, value]) => [VARIABLES[name] ?? camelCase(name), value]),
  )
}
