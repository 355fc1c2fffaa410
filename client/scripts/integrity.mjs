// Writes two things into the built page: what its scripts and styles must be (sub-resource integrity), and the
// fingerprint of all other files, which the page shows and `heliograph assets` prints (`signal/src/operate/assets.rs`).
// Run it before the files are compressed: `node scripts/integrity.mjs dist`.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const INDEX = 'index.html'
/** What the page loads from its own build: `<script src="/assets/…">`, `<link href="/assets/…">`. */
const LOADED = /<(?:script|link)\b[^>]*?\b(?:src|href)="\/(assets\/[^"]+)"/g
const NO_FINGERPRINT = '<meta name="fingerprint" content="" />'

const [root] = process.argv.slice(2)
const sum = (path, algorithm, form) =>
  createHash(algorithm)
    .update(readFileSync(join(root, path)))
    .digest(form)
const paths = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
// Names are ASCII, so this is the order of their bytes.
const lines = paths
  .filter((path) => path !== INDEX)
  .sort()
  .map((path) => `${sum(path, 'sha256', 'hex')}  ${path}\n`)
const fingerprint = createHash('sha256').update(lines.join('')).digest('hex')

const page = readFileSync(join(root, INDEX), 'utf8')
if (!page.includes(NO_FINGERPRINT) || !LOADED.test(page))
  throw new Error(`${INDEX} has no place for the fingerprint, or loads nothing`)
writeFileSync(
  join(root, INDEX),
  page
    .replace(NO_FINGERPRINT, NO_FINGERPRINT.replace('""', `"${fingerprint}"`))
    .replace(LOADED, (tag, path) => `${tag} integrity="sha384-${sum(path, 'sha384', 'base64')}"`),
)
