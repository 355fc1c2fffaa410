/** The levels of shares and links, with their labels. */
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Level, LinkAccess } from '../../protocol/bindings'

export const LEVELS: readonly Level[] = ['read', 'write', 'admin']
export const LINK_ACCESS: readonly LinkAccess[] = ['write', 'read', 'none']

const LABELS: Readonly<Record<Level | LinkAccess, MessageDescriptor>> = {
  read: msg`Read Only`,
  write: msg`Read & Write`,
  admin: msg`Admin`,
  none: msg`No Access`,
}

export function levelLabel(level: Level | LinkAccess): string {
  return i18n._(LABELS[level])
}

/** Returns levels as the options of a list. */
export function levelOptions<Value extends Level | LinkAccess>(levels: readonly Value[]) {
  return levels.map((value) => ({ value, label: levelLabel(value) }))
}
