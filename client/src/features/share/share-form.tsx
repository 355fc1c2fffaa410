import { t } from '@lingui/core/macro'
import AtSign from 'lucide-react/icons/at-sign'
import CircleAlert from 'lucide-react/icons/circle-alert'
import { type FormEvent, useId, useState } from 'react'
import type { Beam, Level } from '../../protocol/bindings'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { Select } from '../../ui/select'
import { useApp } from '../actions'
import { levelOptions } from './levels'
import css from './share-form.module.css'

/** Shares the beam with a person at a level. */
export function ShareForm({ beam, levels }: { beam: Beam; levels: readonly Level[] }) {
  const { beams } = useApp().actions
  const [username, setUsername] = useState('')
  const [level, setLevel] = useState<Level>('read')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const message = useId()
  const share = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const name = username.trim().replace(/^@/, '')
    if (name === '') return setError(t`Please enter a username`)
    setBusy(true)
    const outcome = await beams.share(beam, name, level)
    setBusy(false)
    if (outcome.ok) setUsername('')
    else setError(outcome.fieldError)
  }
  return (
    <form onSubmit={(event) => void share(event)} noValidate>
      <div className={css.row}>
        <span className={cx(css.input, error !== null && css.bad)}>
          <Icon of={AtSign} size={16} />
          <input
            aria-label={t`Username`}
            aria-invalid={error !== null}
            aria-describedby={message}
            placeholder={t`Username`}
            value={username}
            onChange={(event) => {
              setUsername(event.currentTarget.value)
              setError(null)
            }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </span>
        <Select<Level>
          look="field"
          label={t`Permission`}
          value={level}
          options={levelOptions(levels)}
          onChange={setLevel}
        />
        <Button look="primary" type="submit" className={css.share} disabled={busy}>
          {busy ? t`Sharing...` : t`Share`}
        </Button>
      </div>
      <p id={message} className={css.error}>
        {error && (
          <>
            <Icon of={CircleAlert} size={14} />
            {error}
          </>
        )}
      </p>
    </form>
  )
}
