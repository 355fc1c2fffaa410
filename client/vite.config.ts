import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `make dev` runs the server on 8080 and Vite beside it.
const server = 'http://localhost:8080'

/** A service worker keeps its address: by it the browser knows the newer one, and its folder is what it may serve. */
function workerName({ name }: { name: string }): string {
  return name === 'service-worker' ? 'sw.js' : 'assets/[name]-[hash].js'
}

export default defineConfig({
  plugins: [react()],
  // simple-peer's source wants Node's globals; its prebuilt bundle does not.
  resolve: { alias: { 'simple-peer': 'simple-peer/simplepeer.min.js' } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the first page needs is one file: left alone, whatever a later part needs as well becomes a file of its own,
    // eleven of them, and each is a request before anything is drawn.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first-page', tags: ['$initial'] }] } } },
  },
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: workerName } } },
  server: { proxy: { '/api': server, '/ws': { target: server, ws: true } } },
})
