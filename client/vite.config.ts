import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { texts } from './texts.config.ts'

// `make dev` runs the server on port 8080 and Vite beside it.
const server = 'http://localhost:8080'

/**
 * A service worker keeps its name: browsers update it by its address, and it can handle only requests below its folder.
 */
function workerName({ name }: { name: string }): string {
  return name === 'service-worker' ? 'sw.js' : 'assets/[name]-[hash].js'
}

/** The server finds a catalogue by its name, and tells browsers to load the one of their language early. */
function chunkName({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const folder = /\/(\w+)\/[\w-]+\.po$/.exec(facadeModuleId ?? '')?.[1]
  if (folder === undefined) return 'assets/[name]-[hash].js'
  return `assets/${folder === 'languages' ? 'texts' : folder}-${name}-[hash].js`
}

export default defineConfig({
  plugins: [react(), ...texts],
  // simple-peer's source wants Node's globals; its prebuilt bundle does not.
  resolve: { alias: { 'simple-peer': 'simple-peer/simplepeer.min.js' } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for everything that the first page needs. By default each module that a later part shares with it
    // becomes a file of its own: eleven files, each a request before anything is drawn.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'first-page', tags: ['$initial'] }] },
        chunkFileNames: chunkName,
      },
    },
  },
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: workerName } } },
  server: { proxy: { '/api': server, '/ws': { target: server, ws: true } } },
})
