import { describe, expect, it } from 'vitest'
import { codeBlocks } from './code-blocks'
import { looksLikeCode } from './looks-like-code'

describe('without fences, code is', () => {
  it.each([
    'const a = 1\nconst b = a + 1',
    'function add(a, b) {\n  return a + b\n}',
    'import { useState } from "react"\n\nexport function App() {\n  return <p>Hi</p>\n}',
    'def greet(name):\n    print(name)\n\ngreet("Ada")',
    'fn main() {\n    println!("hi");\n}',
    '#include <stdio.h>\nint main() {\n  return 0;\n}',
    'for f in *.jpg; do\n  cwebp "$f"\ndone',
    'git add -A\ngit commit -m "first"\ngit push',
    '#!/bin/sh\nset -e\necho "$1"\ncurl -s https://example.org',
    'SELECT name, size\nFROM files\nWHERE size > 10;\nUPDATE files SET size = 0;',
    '{"name": "heliograph", "version": "1.0.0"}',
    '{\n  "a": [1, 2],\n  "b": null\n}',
    '[{"id": 1}, {"id": 2}]',
    '<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>',
    '.card {\n  padding: 12px;\n  color: red;\n}',
    '// Adds two numbers.\nconst add = (a, b) => a + b;\nadd(1, 2);',
    'if (a && b) {\n  go();\n} else {\n  stop();\n}',
  ])('%j', (text) => expect(looksLikeCode(text)).toBe(true))
})

describe('text is', () => {
  it.each([
    '',
    'Milk, bread, two lemons',
    'Milk\nbread\ntwo lemons',
    'milk;\nbread;\nlemons;',
    'Train to Bern 09:32, track 7.\nCoach 12, seats 61 and 63.',
    'Dear Jonas,\n\nthe keys are with Ada (she is in).\nSee you;\nMira',
    'if you go, take the keys\nfor the cabin, and the map',
    'use the other door\nlet me know',
    'return the books\nimport the photos',
    'class of 1998:\nwho comes?',
    'Let x = 1.\nThen y follows.',
    'From Bern\nSelect a seat\nUpdate the list',
    'const a = 1',
    '1\n2\n3',
    '42',
    '"quoted"',
    '[ ] bread\n[x] milk',
    '- one (1)\n- two (2)\n- three (3)',
    '# Title\n\nSome words about it.',
    'a -> b\nb -> c',
    'Name: Ada\nPhone: +41 44 668 18 00\nMail: ada@example.org',
    'https://example.org/a?b=c\nhttps://example.org/d?e=f',
    '2026-11-22 10:00 start\n2026-11-22 11:00 end',
    'git is great\nnpm too',
  ])('%j', (text) => expect(looksLikeCode(text)).toBe(false))
})

it('code without fences is one block, with its empty lines and its indents', () => {
  const python = 'def greet(name):\n\n    print(name)\n\ngreet("Ada")'
  expect(codeBlocks(python)).toEqual([{ kind: 'code', text: python }])
  expect(codeBlocks('\nconst a = 1\nconst b = 2\n')).toEqual([
    { kind: 'code', text: 'const a = 1\nconst b = 2' },
  ])
})
