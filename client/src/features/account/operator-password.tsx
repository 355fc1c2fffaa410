import { t } from '@lingui/core/macro'
import { useState } from 'react'
import type { FormOutcome } from '../account-actions'
import css from './account-form.module.css'

/**
 * The box to tick where the server wants a password as it was typed, although the account had a vault on this device. It is about the
 * account of one username, which is absent where there is no other.
 */
export function useOperatorPassword(username = '') {
  const [doubtful, setDoubtful] = useState<string | null>(null)
  const [ticked, setTicked] = useState<string | null>(null)
  const isFromOperator = ticked === username
  return {
    isFromOperator,
    /** Shows the box where the outcome of the form asks for it. */
    heard: (outcome: FormOutcome): FormOutcome => {
      if (!outcome.ok && outcome.wantsPassword) setDoubtful(username)
      return outcome
    },
    box: doubtful === username && (
      <label className={css.operator}>
        <input
          type="checkbox"
          checked={isFromOperator}
          onChange={(event) => setTicked(event.currentTarget.checked ? username : null)}
        />
        {t`The operator has given me this password`}
      </label>
    ),
  }
}
