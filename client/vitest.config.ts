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
    environment: 'node',
    // By default one core is left for Vitest itself, which uses little of it: on two cores the tests had one.
    maxWorkers: availableParallelism(),
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/languages/test-setup.ts'],
  },
})
