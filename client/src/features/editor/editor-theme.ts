/** The class names of the editor's content, which looks as in the viewer. */
import type { EditorThemeClasses } from 'lexical'
import css from './editor-theme.module.css'

const name = (key: string): string => css[key] ?? ''

export const EDITOR_THEME: EditorThemeClasses = {
  list: {
    nested: { listitem: name('nested') },
    checklist: name('checks'),
    listitemChecked: `${name('check')} ${name('done')}`,
    listitemUnchecked: name('check'),
  },
  text: {
    underline: name('underline'),
    strikethrough: name('strikethrough'),
    underlineStrikethrough: name('both'),
    code: name('inlineCode'),
  },
  code: name('code'),
  table: name('table'),
  tableCell: name('cell'),
  tableCellHeader: name('headerCell'),
  tableCellSelected: name('selectedCell'),
  tableSelection: name('tableSelection'),
  tableRowStriping: name('striped'),
  tableFrozenRow: name('frozenRow'),
  tableFrozenColumn: name('frozenColumn'),
  tableScrollableWrapper: name('scroll'),
}
