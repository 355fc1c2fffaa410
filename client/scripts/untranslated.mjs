// Prints every string in the sources that reads like a text for people and is not translated, and every text that is
// looked up when its file is imported, before the language is known. Exits with 1 when there is one.
// Run it in `client` as `node scripts/untranslated.mjs`.
import { globSync, readFileSync } from 'node:fs'
import { parse } from '@babel/parser'
import { VISITOR_KEYS } from '@babel/types'

/** Macros of `@lingui/core/macro`: what stands inside is translated. */
const TRANSLATED = new Set(['t', 'msg', 'plural', 'select', 'selectOrdinal', 'Trans'])

/** Two words, or one that begins with a capital: `Join Beam`, `Copied`, `of`. Codes and class names are neither. */
const PROSE = /\p{L}{2,}[^\p{L}]* \p{L}|^\p{Lu}\p{Ll}+\b/u

/** Names that begin with a capital in every language: browsers, protocols, headers, methods. */
const NAMES =
  /^(Chrome|Chromium|Edge|Firefox|Opera|Safari|Samsung Internet|Heliograph|Android|Linux|Windows|Mac|[A-Z]\w+(Error|Event)|Content-\w+|Files|Inter|POST|GET|PUT|DELETE|Service worker|TURN · \w+)$/

/** Keys as the browser names them. Shown to people they are texts: `label="Home"`. */
const KEY_NAMES =
  /^(Alt|Arrow\w+|Backspace|Control|Delete|End|Enter|Escape|F\d+|Home|Insert|Meta|Page(Up|Down)|Shift|Tab|ContextMenu)$/

/** What is pressed: `Ctrl+Shift+Z`, `Space+`. */
const KEYS = /^((Ctrl|Shift|Space)\+)+\S*$/

/** CSS: lists of selectors, media queries and functions: `a[href], button`, `(pointer: coarse)`, `px) translate(-50%)`. */
const CSS = /translate\(|^[a-z]*(\[[^\]]+\])*(, [a-z]*(\[[^\]]+\])*)+$|^\([a-z-]+: [a-z0-9]+\)$/

/** Methods that take selectors or styles, or that split a list of words. */
const CODE_METHODS = new Set(['animate', 'closest', 'matches', 'querySelector', 'querySelectorAll', 'split'])

/** Attributes that say how an element looks, and by which keys it is reached. */
const LOOKS = new Set([
  'aria-keyshortcuts',
  'className',
  'd',
  'preserveAspectRatio',
  'style',
  'transform',
  'viewBox',
])

/** What is called a key (`NEWS_KEY`, `this.key`) identifies a value in a storage, a lock or a link. */
const KEY = /(^k|K)(ey|EY)$/

/** Tests, and what says in its first comment that it is for them, are in English. */
const OF_TESTS = /from 'vitest'|^\/\*\*[\s*]+For tests:/

/** The nodes that hold no text for people, with everything inside of them. */
const SKIPPED = {
  ImportDeclaration: () => true,
  ExportAllDeclaration: () => true,
  TSTypeAliasDeclaration: () => true,
  TSInterfaceDeclaration: () => true,
  TSTypeAnnotation: () => true,
  TSTypeParameterInstantiation: () => true,
  TaggedTemplateExpression: ({ tag }) => TRANSLATED.has(tag.name),
  CallExpression: isNoText,
  OptionalCallExpression: isNoText,
  JSXElement: ({ openingElement }) => TRANSLATED.has(openingElement.name.name),
  JSXAttribute: ({ name }) => LOOKS.has(name.name),
  NewExpression: ({ callee }) => isForEngineers(callee),
  VariableDeclarator: ({ id }) => KEY.test(id.name ?? ''),
  AssignmentExpression: ({ left }) => KEY.test(left.property?.name ?? ''),
  // What is compared came from elsewhere.
  StringLiteral: (_, parent) => parent.type === 'BinaryExpression' && /^[!=]==$/.test(parent.operator),
}

function isNoText({ callee }) {
  return TRANSLATED.has(callee.name) || CODE_METHODS.has(callee.property?.name) || isForEngineers(callee)
}

/** Errors and the console are read by engineers. */
function isForEngineers(callee) {
  return (
    callee.type === 'Super' ||
    callee.object?.name === 'console' ||
    /^([A-Z]\w*)?(Error|DOMException)$/.test(callee.name)
  )
}

function texts(file) {
  const found = []
  const source = readFileSync(file, 'utf8')
  if (OF_TESTS.test(source)) return found
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript', 'jsx'] })
  const tell = (text, line) => found.push(`${file}:${line}: ${text.trim()}`)
  walk(program, null, tell)
  walkImport(program, tell)
  return found
}

function walk(node, parent, tell) {
  if (SKIPPED[node.type]?.(node, parent)) return
  const text = textOf(node, parent)
  if (text !== null) return tell(text, node.loc.start.line)
  for (const child of childrenOf(node)) walk(child, node, tell)
}

/** Walks what runs when the file is imported. There `msg` describes a text that is looked up later; `t` is too early. */
function walkImport(node, tell) {
  if (/Function|Method|ClassProperty/.test(node.type)) return
  const macro = node.tag?.name ?? node.callee?.name
  if (macro !== 'msg' && TRANSLATED.has(macro)) return tell(`${macro} on import`, node.loc.start.line)
  for (const child of childrenOf(node)) walkImport(child, tell)
}

function childrenOf(node) {
  return (VISITOR_KEYS[node.type] ?? []).flatMap((key) => node[key] ?? []).filter(Boolean)
}

/** Returns the text for people that a node has itself; null when it has none. */
function textOf(node, parent) {
  switch (node.type) {
    case 'JSXText':
      return /\p{L}/u.test(node.value) ? node.value : null
    case 'StringLiteral':
      return isProse(node.value, parent?.type === 'JSXAttribute') ? node.value : null
    case 'TemplateElement':
      return isProse(node.value.cooked) ? node.value.cooked : null
    default:
      return null
  }
}

function isProse(text, isShown = false) {
  const exempt = isShown ? [NAMES, CSS] : [NAMES, KEY_NAMES, KEYS, CSS]
  return PROSE.test(text) && !exempt.some((pattern) => pattern.test(text.trim()))
}

/** What is told to other devices or found by its words, and what is generated. */
const WITHOUT_TEXTS = /device-name\.ts|bindings\.ts|schemas\.ts|server-texts\.ts|languages\//
const files = globSync('src/**/*.{ts,tsx}').filter((file) => !WITHOUT_TEXTS.test(file))
const found = files.sort().flatMap(texts)
for (const one of found) process.stdout.write(`${one}\n`)
process.exit(found.length > 0 ? 1 : 0)
