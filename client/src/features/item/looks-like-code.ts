/**
 * Recognizes a text that is code as a whole, without fences. Careful: a list or a letter shown as code is worse than
 * code shown as text, so a single line, short scraps and anything with a sentence in it stay text.
 */

/** Of ten lines, this many must read like code. */
const MOST = 7

/** Beginnings that hardly any sentence has, in the usual languages. */
const STARTS = [
  /^(?:const|let|var) [\w${[]+.*=/,
  /^(?:export |async |public |private |protected |static |pub )*(?:function|fn|func|def|class|interface|struct|enum|impl|trait|namespace|void) \*?[\w<].*[({:]/,
  /^import .*['"<;]|^from [\w.]+ import |^#include [<"]|^use [\w:]+(?:::|;)|^package [\w.]+;?$|^using [\w.]+;$/,
  /^(?:if|for|while|switch|catch|else if|elif)\b.*(?:\{|:|\)|; (?:do|then))$|^(?:\} ?)?(?:else|try|finally|do|then|done|fi|esac|end)\b *[{:]?$/,
  /^return\b.*[;)\]}'"\w]$/,
  /^(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX)|ALTER TABLE)\b/,
  /^#!\/|^\$ \w|^(?:cd|mkdir|sudo [\w-]+|apt-get [a-z]+) [\w./~$-]+$|^(?:curl|npx) \S+|^echo ["'$]/,
  /^git (?:add|clone|commit|push|pull|checkout|switch|status|log|diff|merge|rebase|fetch|init)\b/,
  /^(?:npm|yarn|pnpm|cargo|go|docker|pip3?) (?:i|ci|install|run|test|start|build|add|get|fmt|pull|push|exec|compose)\b/,
  /^@\w+(?:\(.*\))?$/,
] as const

/** Marks inside or at the end of a line. */
const MARKS = [
  /[;{]$|^[\]})]+[;,)]*$/,
  /=>|===?|!==?|&&|\|\||::|->|\+=|\w\(\)|\w\[\w*\]/,
  /^\w[\w.]* = \S/,
  /^"[\w$-]+": ?["\d[{tfn-].*,?$/,
  /^<\/?[a-z][\w-]*(?: [^<>]*)?\/?>/i,
  /^[\w$.]+\(.*\);?$|\$[a-z_{(]/i,
] as const

/** A comment counts neither way, except that it may hold a sentence. */
const COMMENT = /^(?:\/\/|\/\*|\*|#|--)( |$|\/|\*)/
const SENTENCE = /^\p{L}[^{}();=<>]*\s[^{}();=<>]*[.!?…]$/u

/** Whether the text is clearly code. */
export function looksLikeCode(text: string): boolean {
  if (isJson(text)) return true
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !COMMENT.test(line))
  if (lines.length < 2 || lines.some((line) => SENTENCE.test(line))) return false
  const starts = lines.filter((line) => matches(line, STARTS)).length
  const code = lines.filter((line) => matches(line, STARTS) || matches(line, MARKS)).length
  // Lines that end in a semicolon alone may be a list of words.
  const isSure = starts > 0 || lines.some((line) => /[{}]|=>|\(.*\);$|<\/\w/.test(line))
  return isSure && 10 * code >= MOST * lines.length
}

function matches(line: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(line))
}

/** A JSON object or a list of them, with more than one entry. A bare number or word is JSON too, but nobody means it. */
function isJson(text: string): boolean {
  const trimmed = text.trim()
  if (!/[,\n]/.test(trimmed) || !/^(?:\{[\s\S]*"[\s\S]*\}|\[\s*[{[][\s\S]*\])$/.test(trimmed)) return false
  try {
    JSON.parse(trimmed)
    return true
  } catch {
    return false
  }
}
