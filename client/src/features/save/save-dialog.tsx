import { t } from '@lingui/core/macro'
import HardDrive from 'lucide-react/icons/hard-drive'
import { type FormEvent, useState } from 'react'
import { useStore } from 'zustand'
import type { VaultState } from '../../protocol/vaults'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './save-dialog.module.css'

const LONGEST_NAME = 120

/** Asks for a name and saves the beam under it. */
export function SaveDialog({ onClose }: { onClose: () => void }) {
  const { actions, stores } = useApp()
  const vault = useStore(stores.vault, ({ own }) => own?.is)
  const isSealed = useStore(stores.encryption, ({ kind }) => kind === 'sealed')
  // Its keys go into the vault alone.
  const isLocked = vault === 'locked' && isSealed
  const [name, setName] = useState('')
  const [state, setState] = useState<{ saving: boolean; error: string | null }>({
    saving: false,
    error: null,
  })
  const trimmed = name.trim()
  const refuseBlank = () => {
    if (trimmed === '') setState({ ...state, error: t`Please enter a beam name` })
    return trimmed === ''
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (state.saving || isLocked) return
    if (refuseBlank()) return
    setState({ saving: true, error: null })
    const refusal = await actions.saveBeam(trimmed)
    if (refusal === null) onClose()
    else setState({ saving: false, error: refusal })
  }
  return (
    <Dialog
      title={t`Save Beam`}
      sub={t`Keeps its notes in your account and on your other devices.`}
      place="upper"
      onClose={onClose}
    >
      <form className={css.form} onSubmit={(event) => void save(event)}>
        <Field
          label={t`Beam Name`}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setState({ ...state, error: null })
          }}
          onBlur={() => {
            if (name !== '') refuseBlank()
          }}
          onKeyDown={(event) => {
            // With a disabled button Enter does not submit the form.
            if (event.key === 'Enter') refuseBlank()
          }}
          error={state.error}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          autoFocus
        />
        <p className={css.what}>
          <Icon of={HardDrive} size={16} />
          <span>{whatHappens(isSealed ? vault : undefined)}</span>
        </p>
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="primary" type="submit" disabled={trimmed === '' || state.saving || isLocked}>
            {state.saving ? t`Saving...` : t`Save`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

/** What saving does with what is shared. @param vault the vault whose keys seal it, of the person who saves it */
function whatHappens(vault: VaultState['is'] | undefined): string {
  if (vault === 'locked')
    return t`Your vault is locked on this device, so your other devices could not open the beam. Open the vault on your profile first.`
  if (vault === 'open')
    return t`Everything shared here, before and from now on, is stored on this server until you delete the beam, readable only by you and those you share it with.`
  return t`Everything shared here, before and from now on, is stored on this server until you delete the beam. The people who run the server could read it.`
}
