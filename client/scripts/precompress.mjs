// Writes a brotli and a gzip copy beside every file that becomes smaller, so that the server compresses nothing at run
// time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const COMPRESSIBLE = /\.(js|css|html|svg|json|webmanifest|wasm)$/

const [root] = process.argv.slice(2)
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue
  const path = join(entry.parentPath, entry.name)
  const bytes = readFileSync(path)
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  })
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
  if (brotli.length < bytes.length) writeFileSync(`${path}.br`, brotli)
  if (gzip.length < bytes.length) writeFileSync(`${path}.gz`, gzip)
}
