/** The longest name that a sentence shows whole. */
const WHOLE = 40
const START = 24
/** Fits an extension and the last characters, which tell IMG_2041 from IMG_2042. */
const END = 15

/** Shortens a long name in the middle, so that a sentence with it stays a sentence and its ending stays visible. */
export function shortName(name: string): string {
  const letters = [...name]
  if (letters.length <= WHOLE) return name
  return `${letters.slice(0, START).join('')}…${letters.slice(-END).join('')}`
}
