import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `make dev` runs the server on 8080 and Vite beside it.
const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react()],
  // simple-peer's source wants Node's globals; its prebuilt bundle does not.
  resolve: { alias: { 'simple-peer': 'simple-peer/simplepeer.min.js' } },
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { proxy: { '/api': server, '/ws': { target: server, ws: true } } },
})
