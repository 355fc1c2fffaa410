import { defineConfig } from 'vitest/config'
import { texts } from './texts.config.ts'

export default defineConfig({
  plugins: texts,
  resolve: { alias: { 'simple-peer': 'simple-peer/simplepeer.min.js' } },
  test: {
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/languages/test-setup.ts'],
  },
})
