/** Finds the code in a text: between fences of three backticks or tildes, indented, or clearly code as a whole. */
import { looksLikeCode } from './looks-like-code'

export type TextBlock =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const INDENTED = /^(?: {4}|\t)/

/** Splits a text into paragraphs and code, in order. Code keeps its spaces; an unclosed fence runs to the end. */
export function codeBlocks(text: string): readonly TextBlock[] {
  const lines = text.split('\n')
  const isFenced = lines.some((line) => FENCE.test(line))
  if (!isFenced && looksLikeCode(text)) return [{ kind: 'code', text: trimmed(lines).trimEnd() }]
  return blocksOf(lines)
}

function blocksOf(lines: readonly string[]): readonly TextBlock[] {
  const blocks: { kind: TextBlock['kind']; lines: string[] }[] = []
  const put = (kind: TextBlock['kind'], line: string) => {
    const last = blocks.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else blocks.push({ kind, lines: [line] })
  }
  let fence: string | null = null
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1]
    if (fence === null && mark) {
      fence = mark
      blocks.push({ kind: 'code', lines: [] })
    } else if (
      fence !== null &&
      line.trim().startsWith(fence) &&
      line.trim().replaceAll(fence.charAt(0), '') === ''
    ) {
      fence = null
      blocks.push({ kind: 'prose', lines: [] })
    } else put(fence === null ? 'prose' : 'code', line)
  }
  return blocks.flatMap(({ kind, lines }) =>
    kind === 'code' ? [{ kind, text: lines.join('\n') }] : withIndented(lines),
  )
}

/** Splits prose in which lines indented by four spaces or a tab, after an empty line, are code. */
function withIndented(lines: readonly string[]): TextBlock[] {
  const blocks: { kind: TextBlock['kind']; lines: string[] }[] = []
  for (const [at, line] of lines.entries()) {
    const last = blocks.at(-1)
    const begins = INDENTED.test(line) && (at === 0 || lines[at - 1]?.trim() === '')
    const goesOn = last?.kind === 'code' && (INDENTED.test(line) || line.trim() === '')
    const kind = begins || goesOn ? 'code' : 'prose'
    if (last?.kind === kind) last.lines.push(line)
    else blocks.push({ kind, lines: [line] })
  }
  return blocks.flatMap(({ kind, lines: of }) => {
    const text =
      kind === 'code'
        ? of
            .map((line) => line.replace(INDENTED, ''))
            .join('\n')
            .trimEnd()
        : trimmed(of)
    return text === '' ? [] : [{ kind, text }]
  })
}

/** Joins lines, without empty ones at the beginning and end. */
function trimmed(lines: readonly string[]): string {
  return lines.join('\n').replace(/^\s*\n|\n\s*$/g, '')
}
