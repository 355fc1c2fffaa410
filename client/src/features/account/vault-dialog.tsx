import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import Printer from 'lucide-react/icons/printer'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import css from './account-form.module.css'
import { lossWarning } from './change-password-dialog'
import { NewPasswordForm } from './new-password'
import { useForm } from './use-form'
import type { Fields, Problems } from './validation'
import vaultCss from './vault.module.css'

/** The words that a person types in to show that they are written down, counted from 1. */
const CHECKED = [3, 8, 11] as const
type Checked = `${(typeof CHECKED)[number]}`

type Step = 'words' | 'check' | 'password'

/** Sets up a vault: shows its words once, has three of them typed, and asks for a password that the server has not seen. */
export function VaultDialog({
  words,
  replaces,
  onClose,
}: {
  words: readonly string[]
  /** Whether it takes the place of one that nobody can open. */
  replaces: boolean
  onClose: () => void
}) {
  const { actions } = useApp()
  const [step, setStep] = useState<Step>('words')
  return (
    <Dialog
      title={replaces ? t`Start a new vault` : t`Set up a vault`}
      sub={subOf(step)}
      width="wide"
      place="upper"
      asks
      onClose={onClose}
    >
      {step === 'words' && (
        <Words words={words} replaces={replaces} onNext={() => setStep('check')} onClose={onClose} />
      )}
      {step === 'check' && (
        <Check words={words} onBack={() => setStep('words')} onNext={() => setStep('password')} />
      )}
      {step === 'password' && (
        <NewPasswordForm label={t`Set up a vault`} send={actions.vault.create} onClose={onClose}>
          <p className={vaultCss.warning}>{lossWarning()}</p>
        </NewPasswordForm>
      )}
    </Dialog>
  )
}

function subOf(step: Step): string {
  if (step === 'words')
    return t`These 12 words open your vault when you have forgotten your password. Write them down: they are shown only now.`
  if (step === 'check') return t`Type three of the words from what you have written down.`
  return t`The server has seen your current password, so the vault needs a new one. From now on you log in with the new one, too. Your other devices are logged out.`
}

function Words({
  words,
  replaces,
  onNext,
  onClose,
}: {
  words: readonly string[]
  replaces: boolean
  onNext: () => void
  onClose: () => void
}) {
  const { actions } = useApp()
  return (
    <>
      <ol className={vaultCss.words} dir="ltr" lang="en" translate="no">
        {words.map((word, at) => (
          // A word may come twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: the words never change
          <li key={at}>{word}</li>
        ))}
      </ol>
      <div className={vaultCss.tools}>
        <Button size="sm" icon={Copy} onClick={() => void actions.vault.copyWords(words)}>
          {t`Copy words`}
        </Button>
        <Button size="sm" icon={Printer} onClick={() => window.print()}>
          {t`Print`}
        </Button>
      </div>
      {replaces && (
        <p className={vaultCss.warning}>
          {t`What is sealed to the old vault stays sealed: of your saved beams, only what a device of yours can still read comes into the new one.`}
        </p>
      )}
      <DialogFoot>
        <Button look="ghost" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button look="primary" onClick={onNext}>
          {t`I have written them down`}
        </Button>
      </DialogFoot>
    </>
  )
}

function Check({
  words,
  onBack,
  onNext,
}: {
  words: readonly string[]
  onBack: () => void
  onNext: () => void
}) {
  const problemsOf = (fields: Fields): Problems =>
    Object.fromEntries(
      CHECKED.flatMap((number) => {
        const typed = fields[number]?.trim().toLowerCase() ?? ''
        if (typed === words[number - 1]) return []
        return [[number, typed === '' ? t`Type this word` : t`This is another word`]]
      }),
    )
  const start: Record<Checked, string> = { 3: '', 8: '', 11: '' }
  const { form, field, submit } = useForm(start, problemsOf, async () => {
    onNext()
    return { ok: true }
  })
  return (
    <form ref={form} className={css.fields} onSubmit={submit} noValidate>
      {CHECKED.map((number) => (
        <Field
          key={number}
          label={t`Word ${number}`}
          {...field(`${number}`)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus={number === CHECKED[0]}
        />
      ))}
      <DialogFoot>
        <Button look="ghost" onClick={onBack}>
          {t`Back`}
        </Button>
        <Button look="primary" type="submit">
          {t`Continue`}
        </Button>
      </DialogFoot>
    </form>
  )
}
