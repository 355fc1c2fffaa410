/** The levels of shares and links, with their labels. */
import type { Level, LinkAccess } from '../../protocol/bindings'

export const LEVELS: readonly { value: Level; label: string }[] = [
  { value: 'read', label: 'Read Only' },
  { value: 'write', label: 'Read & Write' },
  { value: 'admin', label: 'Admin' },
]

export const LINK_ACCESS: readonly { value: LinkAccess; label: string }[] = [
  { value: 'write', label: 'Read & Write' },
  { value: 'read', label: 'Read Only' },
  { value: 'none', label: 'No Access' },
]

export function levelLabel(level: Level): string {
  return LEVELS.find(({ value }) => value === level)?.label ?? level
}
