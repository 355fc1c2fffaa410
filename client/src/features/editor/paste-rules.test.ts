// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { NoteNode, RootNode } from '../../protocol/note-nodes'
import { nodesOf, plainText } from '../../protocol/rich-note'
import { noteOfHtml } from './pasted-html'

function pasted(html: string): RootNode {
  const root = noteOfHtml(html)
  if (!root) throw new Error('what was pasted cannot be read')
  return root
}

const fixture = (name: string) =>
  pasted(readFileSync(`${import.meta.dirname}/fixtures/${name}.html.txt`, 'utf8'))
const all = (root: RootNode) => [...nodesOf(root)]
const texts = (root: RootNode) => all(root).flatMap((node) => (node.type === 'text' ? [node] : []))
const textOf = (root: RootNode, words: string) => texts(root).find((node) => node.text.includes(words))
const typesOf = (root: RootNode) => new Set<NoteNode['type']>(all(root).map(({ type }) => type))

describe('what is pasted', () => {
  it('from Word keeps headings, bold and colours, and fetches no picture', () => {
    const root = fixture('word')
    expect(root.children[0]).toMatchObject({ type: 'heading', tag: 'h1' })
    expect(textOf(root, 'Present')).toMatchObject({ format: 1, style: '' })
    // A size in points is not kept, nor is a colour given by name.
    expect(textOf(root, 'Cyd')?.style).toBe('color: rgb(0, 112, 192);')
    expect(textOf(root, 'Bob')?.style).toBe('')
    expect(typesOf(root)).not.toContain('image')
    expect(plainText({ title: '', root })).not.toMatch(/mso|WordDocument/)
  })

  it('from Google Docs keeps size, both colours, lists and links', () => {
    const root = fixture('google-docs')
    expect(textOf(root, 'important')).toMatchObject({
      format: 1 + 2 + 8,
      style: 'font-size: 16px; color: rgb(204, 0, 0); background-color: rgb(255, 255, 0);',
    })
    expect(textOf(root, 'Plain')).toMatchObject({ format: 0, style: 'color: rgb(0, 0, 0);' })
    expect(all(root).filter(({ type }) => type === 'listitem')).toHaveLength(2)
    expect(all(root).find(({ type }) => type === 'link')).toMatchObject({ url: 'https://example.org/two' })
    expect(typesOf(root)).not.toContain('image')
  })

  it('from a mail keeps links that lead somewhere, and no script', () => {
    const root = fixture('outlook-mail')
    const urls = all(root).flatMap((node) => (node.type === 'link' ? [node.url] : []))
    expect(urls).toEqual(['mailto:ada@example.org', 'about:blank', 'https://example.org/track?u=1'])
    expect(typesOf(root)).not.toContain('image')
    expect(plainText({ title: '', root })).not.toContain('owned')
  })

  it('from a spreadsheet is a table with its cells and their colour', () => {
    const root = fixture('excel')
    const cells = all(root).filter((node) => node.type === 'tablecell')
    expect(cells.map((cell) => plainText({ title: '', root: { ...root, children: cell.children } }))).toEqual(
      ['Item', 'Price', 'Milk', '2', '1.20'],
    )
    expect(cells[0]).toMatchObject({ colSpan: 2 })
    expect(cells[1]).toMatchObject({ backgroundColor: 'rgb(255, 242, 204)' })
  })

  it('of a hostile page is only text', () => {
    const root = fixture('hostile')
    expect(textOf(root, 'styled')?.style).toBe('font-size: 14px; color: rgb(1, 2, 3);')
    expect(textOf(root, 'Words')?.style).toBe('')
    expect(all(root).find(({ type }) => type === 'link')).toMatchObject({ url: 'about:blank' })
    const pictures = all(root).filter((node) => node.type === 'image')
    expect(pictures).toMatchObject([
      { src: 'data:image/png;base64,iVBORw0KGgo=', altText: 'Dot', width: 0, height: 0, maxWidth: 1000 },
    ])
    expect(JSON.stringify(root)).not.toMatch(/evil|onerror|script:/)
    expect(document.title).not.toBe('owned')
  })

  it('uses the inner of two sizes around a text', () => {
    const root = pasted(
      '<p><span style="font-size:20px"><span style="font-size:12px">small</span> large</span></p>',
    )
    expect(textOf(root, 'small')?.style).toBe('font-size: 12px;')
    expect(textOf(root, 'large')?.style).toBe('font-size: 20px;')
  })

  it('keeps the stated size of a picture', () => {
    const root = pasted('<img src="data:image/png;base64,iVBORw0KGgo=" alt="Sun" width="320" height="200">')
    expect(all(root).find(({ type }) => type === 'image')).toMatchObject({
      altText: 'Sun',
      width: 320,
      height: 200,
    })
  })
})
