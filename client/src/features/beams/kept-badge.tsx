import { t } from '@lingui/core/macro'
import Lock from 'lucide-react/icons/lock'
import LockOpen from 'lucide-react/icons/lock-open'
import { useStore } from 'zustand'
import type { BeamId } from '../../protocol/bindings'
import { type HowKept, isInVault } from '../../protocol/vaults'
import type { BeamsState } from '../../stores/beams'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './beam-card.module.css'

/**
 * Who can read a saved beam, by what this device has opened of its keys. Of a beam of another account it does not say that the server cannot:
 * anybody could have sealed keys to the vault here, the server too.
 */
export function KeptBadge({ beam }: { beam: BeamId }) {
  const { stores } = useApp()
  const how = useStore(stores.vault, ({ kept }) => kept[beam])
  const isOwn = useStore(stores.beams, ({ lists }) => isMine(lists, beam))
  if (how === undefined || (isInVault(how) && !isOwn)) return null
  return (
    <p className={cx(css.kept, isInVault(how) ? css.sealed : css.readable)}>
      <Icon of={isInVault(how) ? Lock : LockOpen} size={14} />
      <span>{textOf(how)}</span>
    </p>
  )
}

function textOf(how: HowKept): string {
  if (how === 'readable') return t`The people who run the server could read this beam`
  if (how === 'not-in-vault')
    return t`Your vault does not have the key of this beam. Open the beam on a device that can read it.`
  if (how === 'sealed') return t`Readable only by you and those you shared it with`
  // Its keys were the server's first, and were changed for the vault (E18).
  return t`What is shared since you set up your vault is readable only by you and those you shared it with. The people who run the server could read what was shared before.`
}

function isMine(lists: BeamsState['lists'], beam: BeamId): boolean {
  return lists.status === 'ready' && lists.mine.some(({ beam_id }) => beam_id === beam)
}
