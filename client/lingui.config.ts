import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'
import { LANGUAGES } from './src/languages/languages'

/** What the server refuses. */
const REFUSALS = '<rootDir>/src/protocol/server-texts.ts'

/** Every text of the page stands in the sources in English; the catalogues in `src/languages` have its translations. */
export default defineConfig({
  sourceLocale: 'en',
  locales: LANGUAGES.map(({ code }) => code),
  catalogs: [
    {
      path: '<rootDir>/src/languages/{locale}',
      include: ['<rootDir>/src'],
      exclude: ['**/*.test.*', REFUSALS],
    },
    // Loaded for the first refusal, not with the page.
    { path: '<rootDir>/src/languages/refusals/{locale}', include: [REFUSALS] },
  ],
  // Without line numbers and dates a catalogue changes only when a text does.
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: { limit: 3 } }),
})
