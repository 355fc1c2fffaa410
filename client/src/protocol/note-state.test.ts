import { describe, expect, it } from 'vitest'
import { readNoteState } from './note-state'

const root = (...children: unknown[]) => ({ root: { type: 'root', version: 1, children } })
const paragraph = (...children: unknown[]) => ({ type: 'paragraph', version: 1, children })
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })
const first = (state: unknown) => readNoteState(state)?.children[0]
const inline = (node: unknown) => {
  const block = first(root(paragraph(node)))
  return block && 'children' in block ? block.children[0] : undefined
}
const DATA = 'data:image/png;base64,iVBORw0KGgo='

describe('the state of a note', () => {
  it('is read from an object and from its JSON text', () => {
    const state = root(paragraph(text('Milk')))
    expect(readNoteState(JSON.stringify(state))).toEqual(readNoteState(state))
    expect(inline(text('Milk', { format: 3 }))).toEqual({
      type: 'text',
      version: 1,
      text: 'Milk',
      format: 3,
      detail: 0,
      mode: 'normal',
      style: '',
    })
  })

  it.each([
    ['null', null],
    ['a number', 7],
    ['a text that is no JSON', '{'],
    ['no root', {}],
    ['a list for a root', { root: [] }],
    ['another root', { root: paragraph() }],
    ['no children', { root: { type: 'root' } }],
    ['an unknown node', root({ type: 'iframe', src: 'https://evil.example' })],
    ['a node without a type', root({ children: [] })],
    ['a text in the root', root(text('Milk'))],
    ['a cell outside of a table', root({ type: 'tablecell', children: [] })],
    ['a row in a paragraph', root(paragraph({ type: 'tablerow', children: [] }))],
    ['a text that is no text', root(paragraph({ type: 'text', text: { toString: 'x' } }))],
    ['a heading of another level', root({ type: 'heading', tag: 'script', children: [] })],
    ['a list of another kind', root({ type: 'list', listType: 'x', children: [] })],
    ['a format that is no number', root(paragraph(text('x', { format: 'bold' })))],
    ['an alignment that is none', root({ ...paragraph(), format: 'url(x)' })],
  ])('is refused with %s', (_what, state) => expect(readNoteState(state)).toBeNull())

  it.each(['__proto__', 'constructor', 'prototype'])('is refused with the key %s', (key) => {
    const polluted = JSON.stringify(root(paragraph())).replace('"version":1', `"version":1,"${key}":{"x":1}`)
    expect(readNoteState(polluted)).toBeNull()
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('is refused quickly when it is too deep', () => {
    let quote: unknown = paragraph()
    for (let depth = 0; depth < 5000; depth += 1) quote = { type: 'quote', children: [quote] }
    expect(readNoteState(root(quote))).toBeNull()
    const item = (inner: unknown) => ({
      type: 'list',
      listType: 'bullet',
      children: [{ type: 'listitem', children: [inner] }],
    })
    let list: unknown = item(text('deep'))
    for (let depth = 0; depth < 20; depth += 1) list = item(list)
    expect(readNoteState(root(list))).not.toBeNull()
  })

  it('is refused with too many nodes', () => {
    const many = (count: number) => root(...Array.from({ length: count }, () => paragraph()))
    expect(readNoteState(many(19_999))).not.toBeNull()
    expect(readNoteState(many(20_000))).toBeNull()
  })

  it('keeps only the known fields of its nodes', () => {
    const sent = {
      ...text('x'),
      onclick: 'alert(1)',
      dangerouslySetInnerHTML: { __html: '<b>' },
      $: { a: 1 },
    }
    expect(Object.keys(inline(sent) ?? {}).sort()).toEqual(
      ['detail', 'format', 'mode', 'style', 'text', 'type', 'version'].sort(),
    )
    expect(inline(text('x', { style: 'position:fixed;color:rgb(1,2,3)' }))).toMatchObject({
      style: 'color: rgb(1, 2, 3);',
    })
  })

  it('has links with allowed protocols', () => {
    const link = {
      type: 'link',
      url: 'java\tscript:alert(1)',
      target: '_blank',
      rel: null,
      title: 'x',
      children: [text('a')],
    }
    expect(inline(link)).toMatchObject({
      type: 'link',
      url: 'about:blank',
      target: '_blank',
      rel: null,
      title: 'x',
    })
    expect(inline({ ...link, type: 'autolink', url: 'ada@example.org' })).toMatchObject({
      type: 'autolink',
      url: 'mailto:ada@example.org',
    })
    expect(readNoteState(root(paragraph({ ...link, target: 'evil' })))).toBeNull()
  })

  it('has marks with their ids', () => {
    expect(inline({ type: 'mark', ids: ['a', 'b'], children: [] })).toMatchObject({ ids: ['a', 'b'] })
  })

  it('has tables with all of their fields', () => {
    const cell = {
      type: 'tablecell',
      headerState: 3,
      colSpan: 2,
      rowSpan: 1,
      width: 120,
      backgroundColor: '#fff',
      verticalAlign: 'middle',
      children: [paragraph(text('a'))],
    }
    const row = { type: 'tablerow', height: 40, children: [cell] }
    const table = {
      type: 'table',
      colWidths: [100, 75],
      rowStriping: true,
      frozenColumnCount: 1,
      frozenRowCount: 1,
      children: [row],
    }
    expect(first(root(table))).toMatchObject({
      colWidths: [100, 75],
      rowStriping: true,
      frozenColumnCount: 1,
      frozenRowCount: 1,
      children: [
        {
          height: 40,
          children: [
            {
              headerState: 3,
              colSpan: 2,
              width: 120,
              backgroundColor: 'rgb(255, 255, 255)',
              verticalAlign: 'middle',
            },
          ],
        },
      ],
    })
    const hostile = {
      ...cell,
      colSpan: 1e9,
      backgroundColor: 'url(https://evil.example)',
      verticalAlign: 'x',
    }
    expect(first(root({ ...table, children: [{ ...row, children: [hostile] }] }))).toMatchObject({
      children: [{ children: [{ colSpan: 200, backgroundColor: null }] }],
    })
  })

  it('keeps only pictures from this server or this beam', () => {
    const picture = (src: string) =>
      inline({ type: 'image', src, altText: 'Sun', width: 'inherit', height: 0 })
    const item = 'item:0f8fad5b-d9cb-469f-a165-70867728950e'
    expect(picture(DATA)).toMatchObject({ src: DATA, altText: 'Sun', width: 0, height: 0, maxWidth: 1000 })
    expect(picture(item)).toMatchObject({ src: item })
    for (const src of [
      'https://evil.example/pixel.gif',
      '//evil.example/pixel.gif',
      '/api/auth/logout/',
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html;base64,PHN2Zz4=',
      'javascript:alert(1)',
      `${DATA}" onerror="alert(1)`,
    ]) {
      expect(picture(src)).toMatchObject({ src: '', altText: 'Sun' })
    }
  })
})
