/** Classifies the errors that keep a page from being drawn. */

/** `part`: code that is loaded on demand did not load; the rest of the page works. */
export type Failure = 'page' | 'part'

/** The messages of Chromium, Firefox and Safari for a module or its styles that did not load. */
const NOT_LOADED = /dynamically imported module|importing a module script failed|unable to preload/i

export function failureOf(error: unknown): Failure {
  return error instanceof Error && NOT_LOADED.test(error.message) ? 'part' : 'page'
}
