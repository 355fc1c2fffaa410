// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { bodyText, nodesOf } from '../../protocol/rich-note'
import { tableOfHtml } from './pasted-html'

const fixture = (name: string) => readFileSync(`${import.meta.dirname}/fixtures/${name}.html.txt`, 'utf8')

it.each([
  ['excel', 'Item\tPrice\nMilk\t2\t1.20'],
  ['google-sheets', 'Who\tBrings\nMira\tCoffee'],
])('a selection of %s is a note with the table, and its text has tabs', (name, text) => {
  const root = tableOfHtml(fixture(name))
  expect(root?.children.map(({ type }) => type)).toEqual(['table'])
  expect(root && bodyText(root)).toBe(text)
})

it('a table of a text document is a note, with the words around it', () => {
  const root = tableOfHtml(
    '<p class="MsoNormal">Plan</p><table class="MsoTableGrid"><tr><td><p>Day</p></td><td><p>Place</p></td></tr></table>',
  )
  expect(root?.children.map(({ type }) => type)).toEqual(['paragraph', 'table'])
})

it.each([
  ['text without a table', '<p>just words</p>'],
  ['a mail in a table of one cell', '<table><tr><td><p>Dear Ada,</p><p>see you</p></td></tr></table>'],
  [
    'a page laid out by nested tables',
    '<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td></tr></table>',
  ],
  [
    'a long text with a small table',
    `<p>${'words '.repeat(30)}</p><table><tr><td>a</td><td>b</td></tr></table>`,
  ],
])('%s is no table', (_what, html) => {
  expect(tableOfHtml(html)).toBeNull()
})

it('nothing of a hostile table runs or leads anywhere', () => {
  const root = tableOfHtml(
    '<table><tr><td onclick="alert(1)">a<script>document.title="owned"</script></td><td><a href="javascript:alert(1)">b</a></td></tr></table>',
  )
  const links = root ? [...nodesOf(root)].flatMap((node) => (node.type === 'link' ? [node.url] : [])) : []
  expect(links).toEqual(['about:blank'])
  expect(JSON.stringify(root)).not.toMatch(/alert|owned/)
})
