// Prints every string in the sources that reads like a text for people and is not translated. Exits with 1 when there is
// one. Run by `npm run texts:check`.
import { globSync, readFileSync } from 'node:fs'
import { parse } from '@babel/parser'
import { VISITOR_KEYS } from '@babel/types'

/** Macros of `@lingui/core/macro`: what stands inside is translated. */
const TRANSLATED = new Set(['t', 'msg', 'plural', 'select', 'selectOrdinal', 'Trans'])

/** Two words, or one that begins with a capital: `Join Beam`, `Copied`, `of`. Codes and class names are neither. */
const PROSE = /\p{L}{2,}[^\p{L}]* \p{L}|^\p{Lu}\p{Ll}+\b/u

/** Names that begin with a capital in every language: keys of the keyboard, headers, browsers. */
const NAMES =
  /^(Alt|Arrow\w+|Backspace|Control|Delete|End|Enter|Escape|F\d+|Home|Insert|Meta|Page(Up|Down)|Shift|Tab|ContextMenu|Chrome|Chromium|Edge|Firefox|Opera|Safari|Samsung Internet|Heliograph|Android|Linux|Windows|Mac|[A-Z]\w+(Error|Event)|Content-\w+|Files|Inter|POST|GET|PUT|DELETE)$/

function texts(file) {
  const found = []
  const source = readFileSync(file, 'utf8')
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript', 'jsx'] })
  walk(program, (text, line) => found.push(`${file}:${line}: ${text.trim()}`))
  return found
}

function walk(node, tell) {
  if (isSkipped(node)) return
  if (node.type === 'JSXText' && /\p{L}/u.test(node.value)) return tell(node.value, node.loc.start.line)
  const text =
    node.type === 'StringLiteral' ? node.value : node.type === 'TemplateElement' ? node.value.cooked : ''
  if (PROSE.test(text) && !NAMES.test(text)) return tell(text, node.loc.start.line)
  for (const key of VISITOR_KEYS[node.type] ?? []) {
    const child = node[key]
    for (const one of Array.isArray(child) ? child : [child]) if (one) walk(one, tell)
  }
}

/** Errors are thrown for engineers, types and imports are no texts, and what a macro has is translated. */
function isSkipped(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAnnotation':
    case 'TSTypeParameterInstantiation':
      return true
    case 'TaggedTemplateExpression':
      return TRANSLATED.has(node.tag.name)
    case 'CallExpression':
      return TRANSLATED.has(node.callee.name)
    case 'JSXElement':
      return TRANSLATED.has(node.openingElement.name.name)
    case 'NewExpression':
      return /Error$/.test(node.callee.name ?? '')
    default:
      return false
  }
}

const files = globSync('src/**/*.{ts,tsx}').filter(
  (file) => !/\.test\.|bindings\.ts|schemas\.ts|languages\//.test(file),
)
const found = files.sort().flatMap(texts)
for (const one of found) console.log(one)
process.exit(found.length > 0 ? 1 : 0)
