import { describe, expect, it } from 'vitest'
import { codeBlocks } from './code-blocks'

const prose = (text: string) => ({ kind: 'prose', text })
const code = (text: string) => ({ kind: 'code', text })

describe('the code in a text', () => {
  it('stands between fences, with every space of it', () => {
    expect(codeBlocks('Run this:\n```sh\nfor f in *; do\n  ls  $f\ndone\n```\nThen rest.')).toEqual([
      prose('Run this:'),
      code('for f in *; do\n  ls  $f\ndone'),
      prose('Then rest.'),
    ])
  })

  it('goes to the end when its fence is not closed', () => {
    expect(codeBlocks('~~~\na\n\nb')).toEqual([code('a\n\nb')])
  })

  it('is not ended by a fence of another kind', () => {
    expect(codeBlocks('````\n```\n````')).toEqual([code('```')])
  })

  it('is what is indented after an empty line, without the indent', () => {
    expect(codeBlocks('Like so:\n\n    a = 1\n\n    if a:\n        b()\n\nand on')).toEqual([
      prose('Like so:'),
      code('a = 1\n\nif a:\n    b()'),
      prose('and on'),
    ])
    expect(codeBlocks('\tmake run')).toEqual([code('make run')])
  })

  it('is not a list whose lines hang, nor a plain text', () => {
    expect(codeBlocks('- one\n    more of one')).toEqual([prose('- one\n    more of one')])
    expect(codeBlocks('Milk, bread')).toEqual([prose('Milk, bread')])
  })
})
