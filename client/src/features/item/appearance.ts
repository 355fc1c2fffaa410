/** The colour and the tilt of an item. They are computed from its id, so that they are the same on every device. */

const GRADIENTS = 5
/** The middle colours of the five gradients, for painting on a canvas element. They are the same in both themes. */
export const GRADIENT_COLOURS = ['#6543ea', '#3754e4', '#1565b6', '#0c6f7a', '#117452'] as const
const TILTS = [-3, -2, -1, 0, 1, 2, 3] as const

/** Returns the 32-bit FNV-1a hash of a text, which differs widely for ids that differ in one character. */
export function hash(text: string): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  }
  return sum >>> 0
}

/** 0 to 4: purple-indigo, indigo-blue, blue-cyan, cyan-teal, teal-green. */
export function gradientOf(id: string): number {
  return hash(id) % GRADIENTS
}

/** Returns the tilt of an item in degrees. */
export function tiltOf(id: string): number {
  return TILTS[Math.floor(hash(id) / GRADIENTS) % TILTS.length] ?? 0
}
