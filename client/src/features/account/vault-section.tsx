import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import css from './vault.module.css'
import type { OpenVaultDialog } from './vault-dialogs'

/** The vault on the profile page: set up, or what there is of it. */
export function VaultSection({
  className,
  open,
}: {
  className: string | undefined
  open: (dialog: OpenVaultDialog) => void
}) {
  const { stores, actions } = useApp()
  const own = useStore(stores.vault, (state) => state.own)
  if (own === null || own.is === 'unknown') return null
  const begin = async (replaces: boolean) => {
    const words = await actions.vault.begin()
    if (words) open({ is: 'setting-up', words, replaces })
  }
  return (
    <section className={className}>
      <div className={css.section}>
        <div>
          <h2>{t`Vault`}</h2>
          {own.is === 'none' && (
            <p>{t`Seals the keys of your saved beams with a password that never leaves your devices, so that the server cannot read them.`}</p>
          )}
          {own.is === 'locked' && (
            <p>
              {own.needsWords
                ? t`Your vault is locked, because the operator has given you a new password. Your recovery words open it.`
                : t`Your vault is locked on this device. Log in again to open it.`}
            </p>
          )}
          {own.is === 'open' && (
            <>
              <p>{t`Your vault is open on this device. Others compare this fingerprint before they share with you:`}</p>
              <p className={css.digits}>{own.fingerprint}</p>
            </>
          )}
        </div>
        {own.is === 'none' && <Button onClick={() => void begin(false)}>{t`Set up a vault`}</Button>}
        {own.is === 'locked' && own.needsWords && (
          <div className={css.choices}>
            <Button onClick={() => open({ is: 'recovering' })}>{t`Open with recovery words`}</Button>
            <Button look="ghost" onClick={() => void begin(true)}>{t`Start a new vault`}</Button>
          </div>
        )}
        {own.is === 'open' && <Button onClick={() => open({ is: 'changing' })}>{t`Change Password`}</Button>}
      </div>
    </section>
  )
}
