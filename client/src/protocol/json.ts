/** Comparison of JSON values by value, as the specification compares contents. */

/** Whether two values are the same JSON value; the order of an object's members means nothing (RFC 8259, section 4). */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const entries = Object.entries(a)
  return (
    entries.length === Object.keys(b).length &&
    entries.every(
      ([key, value]) => Object.hasOwn(b, key) && equalJson(value, (b as Record<string, unknown>)[key]),
    )
  )
}
