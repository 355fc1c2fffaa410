import { describe, expect, it } from 'vitest'
import { parseContent } from './item'
import { noteHtml } from './note-markup'
import type { RootNode } from './note-nodes'
import { EMPTY_ROOT, plainText, readRichNote, richNoteMessage, withText } from './rich-note'

const words = (text: string, more: object = {}) => ({ type: 'text', text, ...more })
const block = (type: string, children: unknown[], more: object = {}) => ({ type, children, ...more })
const note = (title: string, ...children: unknown[]) =>
  readRichNote({ title, content: { root: block('root', children) } })

describe('a rich note', () => {
  it('comes back as it was shared', () => {
    const root = withText(EMPTY_ROOT, 'Milk\nbread')
    const { message, extra } = richNoteMessage(' Shopping ', root)
    expect(extra).toBe('lexi_note')
    expect(parseContent(message, extra)).toEqual({ kind: 'lexi_note', title: 'Shopping', root })
    expect(parseContent(JSON.stringify(message), extra)).toEqual({
      kind: 'lexi_note',
      title: 'Shopping',
      root,
    })
  })

  it('has a title alone, and then no content', () => {
    expect(readRichNote({ title: 'Shopping' })).toEqual({ title: 'Shopping', root: EMPTY_ROOT })
  })

  it.each([[null], [7], ['no JSON'], [[]], [{ title: 'x', content: 'broken' }], [{ content: { root: 1 } }]])(
    'is broken, and nothing worse, as %j',
    (message) => expect(readRichNote(message).root).toBeNull(),
  )

  it('has a title of at most 200 characters', () => {
    expect(readRichNote({ title: 'x'.repeat(5000) }).title).toHaveLength(200)
    expect(readRichNote({ title: { toString: 1 } }).title).toBe('')
  })

  it('is plain text with lines, tabs and boxes', () => {
    const cell = (text: string) => block('tablecell', [block('paragraph', [words(text)])])
    const shopping = note(
      'Shopping',
      block('paragraph', [
        words('For '),
        words('Friday', { format: 1 }),
        { type: 'linebreak' },
        words('at noon'),
      ]),
      block(
        'list',
        [
          block('listitem', [words('Milk')], { checked: true }),
          block('listitem', [words('Bread')], { checked: false }),
        ],
        { listType: 'check' },
      ),
      block('table', [block('tablerow', [cell('a'), cell('b')]), block('tablerow', [cell('c'), cell('d')])]),
    )
    expect(plainText(shopping)).toBe('Shopping\n\nFor Friday\nat noon\n[x] Milk\n[ ] Bread\na\tb\nc\td')
    expect(plainText({ title: 'Only a title', root: null })).toBe('Only a title')
  })

  it('is printed as HTML without any code in it', () => {
    const html = noteHtml(
      note(
        '<img src=x onerror=alert(1)>',
        block('heading', [words('"Big" & <small>')], { tag: 'h2' }),
        block('paragraph', [
          words('bold', { format: 1, style: 'color: rgb(1, 2, 3)' }),
          block('link', [words('site')], { url: 'https://example.org/?a=1&b="2"' }),
        ]),
      ),
    )
    expect(html).toBe(
      '<h1>&lt;img src=x onerror=alert(1)&gt;</h1><h2>&quot;Big&quot; &amp; &lt;small&gt;</h2>' +
        '<p><span style="color: rgb(1, 2, 3)"><strong>bold</strong></span>' +
        '<a href="https://example.org/?a=1&amp;b=&quot;2&quot;" target="_blank" rel="noreferrer">site</a></p>',
    )
  })

  it('exports cells without a width as 75 px wide, and pictures only as data', () => {
    const cell = block('tablecell', [], { headerState: 1 })
    const html = noteHtml(
      note(
        '',
        block('table', [block('tablerow', [cell])], { rowStriping: true }),
        block('paragraph', [
          { type: 'image', src: 'item:0f8fad5b-d9cb-469f-a165-70867728950e', altText: 'Sun' },
        ]),
      ),
    )
    expect(html).toContain('<th scope="col" style="width: 75px"></th>')
    expect(html).toContain('<img src="" alt="Sun"')
  })

  it('keeps nested lists, boxes and indentation', () => {
    const root = note(
      '',
      block(
        'list',
        [
          block('listitem', [words('a')]),
          block('listitem', [
            block('list', [block('listitem', [words('b')])], { listType: 'number', start: 3, tag: 'ol' }),
          ]),
        ],
        { listType: 'bullet' },
      ),
      block('paragraph', [words('in')], { indent: 2, format: 'center' }),
    )
    expect(noteHtml(root)).toBe(
      '<ul><li>a</li><li data-nested=""><ol start="3"><li>b</li></ol></li></ul>' +
        '<p style="text-align: center; padding-inline-start: 80px">in</p>',
    )
  })
})

describe('text that was typed so far', () => {
  it('is appended, with a paragraph for each line', () => {
    const root = withText(EMPTY_ROOT, 'Milk\n\nbread')
    expect(plainText({ title: '', root: root as RootNode })).toBe('Milk\nbread')
    expect(root.children).toHaveLength(3)
    expect(withText(root, '')).toBe(root)
  })
})
