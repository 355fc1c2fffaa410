import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { texts } from './texts.config.ts'

export default defineConfig({
  plugins: texts,
  resolve: {
    alias: {
      'simple-peer': 'simple-peer/simplepeer.min.js',
      // Tests have the library that browsers get, not the one for Node.
      'tus-js-client': 'tus-js-client/lib.esm/browser/index.js',
    },
  },
  test: {
    // By default one core is left for Vitest itself, which uses little of it: on two cores the tests had one.
    maxWorkers: availableParallelism(),
    setupFiles: ['src/languages/test-setup.ts'],
    projects: [
      { extends: true, test: { name: 'modules', environment: 'node', include: ['src/**/*.test.ts'] } },
      // Each file has a page and modules of its own here too, but a process loads jsdom once and not for each file, which takes
      // longer than most of the files. The others use more of Node than such a page has.
      {
        extends: true,
        test: { name: 'components', environment: 'jsdom', pool: 'vmForks', include: ['src/**/*.test.tsx'] },
      },
    ],
  },
})
