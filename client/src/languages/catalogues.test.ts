import type { Messages } from '@lingui/core'
import { describe, expect, it } from 'vitest'
import { formatsOf, LANGUAGES, type Language, SOURCE } from './languages'

/** A compiled text is a string, or a list of strings, placeholders and choices: `["Sent to ", ["device"]]`. */
type Token = string | readonly [name: string, format?: string, forms?: Forms]
type Forms = Readonly<Record<string, string | readonly Token[] | number>>

/** The texts of the page, and the refusals of the server, which are loaded when there is one. */
const CATALOGUES = import.meta.glob<Messages>(['./*.po', './refusals/*.po'], {
  import: 'messages',
  eager: true,
})
const FOLDERS = ['.', './refusals'] as const
const english = catalogueOf(SOURCE)
const ids = Object.keys(english)
const translations = LANGUAGES.map(({ code }) => code).filter((code) => code !== SOURCE)

it('there are two catalogues for each language, and no other', () => {
  expect(Object.keys(CATALOGUES).sort()).toEqual(
    FOLDERS.flatMap((folder) => LANGUAGES.map(({ code }) => `${folder}/${code}.po`)).sort(),
  )
})

describe.each(translations)('the catalogue of %s', (code) => {
  const catalogue = catalogueOf(code)

  it('has the placeholders of every English text', () => {
    const different = ids.filter((id) => placeholders(catalogue[id]) !== placeholders(english[id]))
    expect(different.map(textOf)).toEqual([])
  })

  it('has each form that a count needs', () => {
    const needed = categoriesOf(code)
    const lacking = ids.filter((id) =>
      pluralsIn(catalogue[id]).some((forms) => needed.some((category) => !(category in forms))),
    )
    expect(lacking.map(textOf)).toEqual([])
  })

  it('leaves no sentence in English', () => {
    const left = ids.filter((id) => isSentence(textOf(id)) && textOf(id) === JSON.stringify(catalogue[id]))
    expect(left.map(textOf)).toEqual([])
  })
})

function catalogueOf(code: Language): Messages {
  return Object.assign({}, ...FOLDERS.map((folder) => CATALOGUES[`${folder}/${code}.po`]))
}

function textOf(id: string): string {
  return JSON.stringify(english[id])
}

function isSentence(text: string): boolean {
  return text.split(' ').length > 3
}

function tokensOf(text: unknown): readonly Token[] {
  return Array.isArray(text) ? text : []
}

/** Returns the names of all placeholders, sorted. */
function placeholders(text: unknown): string {
  const names = new Set<string>()
  const collect = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (typeof token === 'string') continue
      names.add(token[0])
      for (const form of Object.values(token[2] ?? {})) collect(tokensOf(form))
    }
  }
  collect(tokensOf(text))
  return [...names].sort().join()
}

function pluralsIn(text: unknown): readonly Forms[] {
  return tokensOf(text).flatMap((token) =>
    typeof token !== 'string' && token[1] === 'plural' && token[2] ? [token[2]] : [],
  )
}

/** Returns the categories of the counts up to a thousand. Some languages have one more for millions. */
function categoriesOf(code: Language): readonly string[] {
  const rules = new Intl.PluralRules(formatsOf(code))
  return [...new Set(Array.from({ length: 1001 }, (_, count) => rules.select(count)))]
}
