import type { Messages } from '@lingui/core'
import { describe, expect, it } from 'vitest'
import { directionOf, formatsOf, LANGUAGES, type Language, SOURCE } from './languages'

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
/** Titles that become content: no marks belong into them. */
const DATA = ['[["name"]," (copy)"]']
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

  it('says the number in every form that stands for several', () => {
    const silent = ids.filter((id) =>
      pluralsIn(catalogue[id]).some(({ offset: _, ...forms }) =>
        Object.entries(forms).some(
          ([form, text]) => isOfSeveral(code, form) && saysNumber(english[id]) && !isWithNumber(text),
        ),
      ),
    )
    expect(silent.map(textOf)).toEqual([])
  })

  it('leaves no sentence in English', () => {
    const left = ids.filter((id) => isSentence(textOf(id)) && textOf(id) === JSON.stringify(catalogue[id]))
    expect(left.map(textOf)).toEqual([])
  })
})

describe.each(translations.filter((code) => directionOf(code) === 'rtl'))('the catalogue of %s', (code) => {
  it('keeps the direction of inserted names to themselves', () => {
    const catalogue = catalogueOf(code)
    const open = ids.filter((id) => !DATA.includes(textOf(id)) && hasOpenPlaceholder(catalogue[id]))
    expect(open.map(textOf)).toEqual([])
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

/** Whether a plural form stands for more than one number: Russian `one` is for 1, 21 and 31. */
function isOfSeveral(code: Language, form: string): boolean {
  const rules = new Intl.PluralRules(formatsOf(code))
  const counts = Array.from({ length: 1001 }, (_, count) => count).filter(
    (count) => rules.select(count) === form,
  )
  return counts.length > 1
}

/** Whether the English text says the number of several. */
function saysNumber(text: unknown): boolean {
  return pluralsIn(text).some((forms) => isWithNumber(forms.other))
}

function isWithNumber(form: unknown): boolean {
  return tokensOf(form).includes('#')
}

/** Whether a placeholder stands without the marks that keep its direction from the text around it (Unicode FSI, PDI). */
function hasOpenPlaceholder(text: unknown): boolean {
  return tokensOf(text).some((token, at, all) => {
    if (typeof token === 'string') return false
    if (token[1] === 'plural') return Object.values(token[2] ?? {}).some(hasOpenPlaceholder)
    const [before, after] = [all[at - 1], all[at + 1]]
    return !(`${before}`.endsWith('\u2068') && `${after}`.startsWith('\u2069'))
  })
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
