import { t } from '@lingui/core/macro'
import { useState } from 'react'
import type { FormOutcome } from '../account-actions'
import css from './account-form.module.css'

/** The box to tick where the server wants a password as it was typed, although the account had a vault on this device. */
export function useOperatorPassword() {
  const [isDoubtful, setIsDoubtful] = useState(false)
  const [isFromOperator, setIsFromOperator] = useState(false)
  return {
    isFromOperator,
    /** Shows the box where the outcome of the form asks for it. */
    heard: (outcome: FormOutcome): FormOutcome => {
      if (!outcome.ok && outcome.wantsPassword) setIsDoubtful(true)
      return outcome
    },
    box: isDoubtful && (
      <label className={css.operator}>
        <input
          type="checkbox"
          checked={isFromOperator}
          onChange={(event) => setIsFromOperator(event.currentTarget.checked)}
        />
        {t`The operator has given me this password`}
      </label>
    ),
  }
}
