// Prints what others wrote that is in the released binary, each with its licence: the crates that are linked in, what is
// bundled into the page, the standard library and musl. Exits with 1 at a licence that nobody has agreed to yet, and at a
// part without the text of its licence.
// `node scripts/third-party-licences.mjs TARGET`, for example x86_64-unknown-linux-musl.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Licences that ask for nothing more than that they are named and printed, and MPL-2.0, whose files are unchanged. */
const AGREED = new Set([
  ...['MIT', 'MIT-0', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'Zlib', '0BSD', 'BSL-1.0'],
  ...['CC0-1.0', 'Unlicense', 'Unicode-3.0', 'CDLA-Permissive-2.0', 'OFL-1.1', 'MPL-2.0'],
])
/**
 * Parts whose authors put no text into the package, only the name of the licence, and whom package and sources name as
 * its holder. They get the standard text.
 */
const WITHOUT_TEXT = new Map([
  ['ts-rs', { licence: 'MIT', holder: 'Moritz Bischof' }],
  ['stun-proto', { licence: 'MIT', holder: 'Matthew Waters' }],
  ['stun-types', { licence: 'MIT', holder: 'Matthew Waters' }],
  ['turn-types', { licence: 'MIT', holder: 'Matthew Waters' }],
  ['err-code', { licence: 'MIT', holder: 'IndigoUnited' }],
  ['get-browser-rtc', { licence: 'MIT', holder: 'substack' }],
  // The text and its holder are in `rtc`, of whose repository these are the parts.
  ...['crypto', 'datachannel', 'dtls', 'ice', 'interceptor', 'mdns', 'media', 'rtcp', 'rtp', 'sctp', 'sdp']
    .concat('shared', 'srtp', 'stun', 'turn')
    .map((part) => [`rtc-${part}`, { licence: 'MIT', holder: 'WebRTC.rs' }]),
])
/** What `tus-js-client` needs in Node. Its files for browsers import neither. */
const NOT_IN_THE_PAGE = new Set(['node_modules/combine-errors', 'node_modules/proper-lockfile'])
const LICENCE_FILE = /^(licen[cs]e|copying|notice|unlicense|ofl)([-._].*)?$/i
/** Where sources of others lie inside of a package. */
const INNER_FOLDERS = ['.', 'jemalloc']
/** A folder that has nothing but texts of licences (REUSE). */
const LICENCE_FOLDER = 'LICENSES'

const [target = 'x86_64-unknown-linux-musl'] = process.argv.slice(2)
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
const rustTexts = join(run('rustc', '--print=sysroot').trim(), 'share/doc/rust/licenses')
const found = [...crates(), ...packages(), ...platform()]
const parts = found.map((part) => (part.texts.length > 0 ? part : withStandardText(part)))
const faults = [
  ...parts
    .filter(({ licence }) => !isAgreed(licence))
    .map(({ name, licence }) => `${name} has the licence ${licence || '?'}, which is not in AGREED`),
  ...parts
    .filter(({ texts }) => texts.length === 0)
    .map(
      ({ name, licence }) =>
        `${name} (${licence}) has no text of its licence; look for one, else see WITHOUT_TEXT`,
    ),
  ...[...WITHOUT_TEXT.keys()]
    .filter((name) => !found.some((part) => plain(part) === name && part.texts.length === 0))
    .map((name) => `${name} is not here without a text any more: remove it from WITHOUT_TEXT`),
]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exit(1)
process.stdout.write(document(parts))

/** The crates that cargo links into the binary, without those that only build or test it. */
function crates() {
  const metadata = JSON.parse(
    run('cargo', 'metadata', '--format-version=1', '--locked', `--filter-platform=${target}`),
  )
  const about = new Map(metadata.packages.map((one) => [one.id, one]))
  const needs = new Map(metadata.resolve.nodes.map(({ id, deps }) => [id, deps]))
  const start = metadata.packages.find(({ name }) => name === 'heliograph-signal')
  const isMacro = ({ targets }) => targets.some(({ kind }) => kind.includes('proc-macro'))
  const found = new Set([start.id])
  for (const id of found) {
    for (const { pkg, dep_kinds } of needs.get(id)) {
      if (dep_kinds.some(({ kind }) => kind === null) && !isMacro(about.get(pkg))) found.add(pkg)
    }
  }
  const others = [...found].map((id) => about.get(id)).filter(({ source }) => source !== null)
  return others.map(({ name, version, license, manifest_path }) =>
    part(`${name} ${version}`, license?.replaceAll('/', ' OR '), dirname(manifest_path)),
  )
}

/** The packages of which the page is made, as the lock file has them: those that it needs, and that these need. */
function packages() {
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const found = new Set(['client'])
  for (const folder of found) {
    const needed = Object.keys(locked[folder].dependencies ?? {}).map((name) => place(name, folder, locked))
    for (const other of needed.filter((other) => !NOT_IN_THE_PAGE.has(other))) found.add(other)
  }
  found.delete('client')
  return [...found].map((folder) => {
    const { version, license } = locked[folder]
    return part(`${folder.split('node_modules/').at(-1)} ${version} (page)`, license, folder)
  })
}

/** Where the package is that another one in this folder gets by this name: in the nearest `node_modules`. */
function place(name, from, locked) {
  const at = join(from, 'node_modules', name)
  return locked[at] || from === '.' ? at : place(name, dirname(from), locked)
}

/** What the compiler adds. */
function platform() {
  const holder = 'The Rust Project contributors'
  const texts = ['MIT', 'Apache-2.0'].map((licence) => standardText(licence, holder)).filter(Boolean)
  const std = { name: 'Rust standard library', licence: 'MIT OR Apache-2.0', texts }
  const musl = ['/usr/share/doc/musl/copyright', '/usr/share/doc/musl-dev/copyright'].filter(existsSync)
  return target.endsWith('musl')
    ? [std, { name: 'musl libc', licence: 'MIT', texts: musl.slice(0, 1).map(read) }]
    : [std]
}

function part(name, licence, folder) {
  const inner = INNER_FOLDERS.map((one) => join(folder, one)).filter(existsSync)
  const files = inner.flatMap((one) => filesIn(one).filter((path) => LICENCE_FILE.test(basename(path))))
  return { name, licence, texts: [...files, ...filesIn(join(folder, LICENCE_FOLDER))].map(read) }
}

function filesIn(folder) {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name))
}

/** The part with the text that is written out for it in `WITHOUT_TEXT`, or as it is. */
function withStandardText(part) {
  const { licence, holder } = WITHOUT_TEXT.get(plain(part)) ?? {}
  const isChoice = licence && (part.licence ?? '').split(' OR ').includes(licence)
  const text = isChoice && standardText(licence, holder)
  return text ? { ...part, texts: [text] } : part
}

/** The text of a licence by its SPDX id, as it comes with the compiler; `null` when it does not. */
function standardText(licence, holder) {
  const file = join(rustTexts, `${licence}.txt`)
  return existsSync(file) ? read(file).replace('<year> <copyright holders>', holder) : null
}

/** The name without its version. */
function plain({ name }) {
  return name.split(' ')[0]
}

function read(file) {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()
}

/** Whether some choice that the expression leaves has only agreed licences (SPDX, of which crates use AND, OR, WITH). */
function isAgreed(expression = '') {
  const bare = expression.replaceAll(/ WITH [\w.-]+/g, '').replaceAll(/[()]/g, ' ')
  // Without its parentheses, A AND (B OR C) reads as A AND B or C; so each word must be agreed to when there are any.
  if (expression.includes('('))
    return bare
      .split(/\s+(?:AND|OR)\s+|\s+/)
      .filter(Boolean)
      .every(isKnown)
  return bare.split(' OR ').some((choice) => choice.split(' AND ').every((one) => isKnown(one.trim())))
}

function isKnown(licence) {
  return AGREED.has(licence)
}

/** The list, and each text once with the names of those that it is for. */
function document(all) {
  // Texts that differ in their line breaks only are the same.
  const byText = new Map()
  for (const { name, texts } of all) {
    for (const text of texts) {
      const words = text.replaceAll(/\s+/g, ' ')
      const { names } = byText.get(words) ?? { names: [] }
      byText.set(words, { text, names: [...new Set([...names, name])] })
    }
  }
  const list = all.map(({ name, licence }) => `${name}: ${licence}`).sort()
  const texts = [...byText.values()].map(
    ({ text, names }) => `${'='.repeat(80)}\n${names.join('\n')}\n\n${text}\n`,
  )
  return [
    'Heliograph is under the MIT licence (LICENSE). Its binary contains, besides:\n',
    `${list.join('\n')}\n`,
    'SQLite, within libsqlite3-sys, is in the public domain.\n',
    ...texts,
  ].join('\n')
}
