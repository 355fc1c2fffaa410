/** Puts an entry last into a map of at most so many, from which the first one goes: strangers could fill the memory otherwise. */
export function putLast<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key)
  entries.set(key, value)
  const [oldest] = entries.keys()
  if (entries.size > most && oldest !== undefined) entries.delete(oldest)
}
