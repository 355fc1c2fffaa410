/** What kind of failure kept a page from being drawn. Pure. */

/** `part`: something that is loaded on demand did not come; the rest of the page is sound. */
export type Failure = 'page' | 'part'

/** Chromium, Firefox and Safari each say in their own words that a module or its styles did not come. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|unable to preload/i

export function failureOf(error: unknown): Failure {
  return error instanceof Error && NOT_LOADED.test(error.message) ? 'part' : 'page'
}
