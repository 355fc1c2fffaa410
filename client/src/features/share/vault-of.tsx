import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { Beam } from '../../protocol/bindings'
import { isInVault } from '../../protocol/vaults'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import css from './share-dialog.module.css'

/** Whether a person with a share can open a beam whose keys are in vaults, and the fingerprint to compare with that person. */
export function VaultOf({ beam, username }: { beam: Beam; username: string }) {
  const { stores, actions } = useApp()
  const how = useStore(stores.vault, ({ kept }) => kept[beam.beam_id])
  const person = useStore(stores.vault, ({ people }) => people.find((one) => one.username === username))
  if (!isInVault(how) || !person) return null
  const { fingerprint } = person
  if (fingerprint === null)
    return <p className={css.vault}>{t`No vault yet: this person cannot open the beam without its link`}</p>
  return (
    <div className={css.vault}>
      <span className={css.digits}>{fingerprint}</span>
      {!person.hasKeys && (
        <Button size="sm" onClick={() => void actions.vault.handKeys(beam.beam_id, username, fingerprint)}>
          {t`Let this person open it`}
        </Button>
      )}
    </div>
  )
}

/** Says what the fingerprints are for, where there are any. */
export function ComparingHint() {
  const hasAny = useStore(useApp().stores.vault, ({ people }) =>
    people.some(({ fingerprint }) => fingerprint !== null),
  )
  if (!hasAny) return null
  return (
    <p className={css.hint}>
      {t`Compare the digits with each person, who finds them in the profile: then the server cannot have put in a key of its own.`}
    </p>
  )
}
