import { t } from '@lingui/core/macro'
import { type FormEvent, useState } from 'react'
import type { Beam } from '../../protocol/bindings'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import css from './rename-dialog.module.css'

const LONGEST_NAME = 120

export function RenameDialog({ beam, onClose }: { beam: Beam; onClose: () => void }) {
  const { beams } = useApp().actions
  const [name, setName] = useState(beam.beam_name)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const trimmed = name.trim()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (trimmed === '' || busy) return
    setBusy(true)
    const outcome = await beams.rename(beam, trimmed)
    setBusy(false)
    if (outcome.ok) onClose()
    else setError(outcome.fieldError)
  }
  return (
    <Dialog title={t`Rename Beam`} place="upper" onClose={onClose}>
      <form className={css.form} onSubmit={(event) => void save(event)}>
        <Field
          label={t`Beam Name`}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setError(null)
          }}
          error={trimmed === '' ? t`Please enter a beam name` : error}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          autoFocus
        />
        <DialogFoot>
          <Button look="ghost" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="primary" type="submit" disabled={trimmed === '' || busy}>
            {busy ? t`Saving...` : t`Save`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
