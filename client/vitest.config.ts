import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { 'simple-peer': 'simple-peer/simplepeer.min.js' } },
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'] },
})
