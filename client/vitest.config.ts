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
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/languages/test-setup.ts'],
  },
})
