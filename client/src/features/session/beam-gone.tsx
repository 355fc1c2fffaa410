import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Link } from 'react-router'
import { useStore } from 'zustand'
import { type Gone, whyGone } from '../../stores/connection'
import { Button, buttonClass } from '../../ui/button'
import { useApp } from '../actions'
import { JoinButton } from '../join/join-button'
import { paths } from '../paths'
import { useIsRemoved } from './beam'
import css from './beam-gone.module.css'

const WORDS: Readonly<Record<Gone, { heading: MessageDescriptor; text: MessageDescriptor }>> = {
  'logged-out': {
    heading: msg`Your login has ended`,
    text: msg`This beam was open under your account. Log in again to go on.`,
  },
  forbidden: {
    heading: msg`You cannot join this beam`,
    text: msg`It is shared with certain people only, or this device was removed from it.`,
  },
  ended: {
    heading: msg`This beam has ended`,
    text: msg`It expired, it was deleted, or its link was renewed.`,
  },
}

const REMOVED = { heading: WORDS.forbidden.heading, text: msg`This device was removed from it.` }

/** Returns why the beam is closed for good on this device; null while it is not. */
export function useGone(): Gone | null {
  return useStore(useApp().stores.connection, whyGone)
}

/** Shown in place of a beam that is closed for this device: the reason, and what to do next. */
export function BeamGone({ why }: { why: Gone }) {
  const { stores, actions } = useApp()
  const isLoggedIn = useStore(stores.account, (state) => state.status === 'authenticated')
  const isRemoved = useIsRemoved()
  const { heading, text } = isRemoved ? REMOVED : WORDS[why]
  const loginHelps = why !== 'ended' && !isLoggedIn && !isRemoved
  return (
    <section className={css.gone}>
      <h1>{i18n._(heading)}</h1>
      <p>{i18n._(text)}</p>
      <div className={css.ways}>
        {loginHelps && (
          <Link className={buttonClass({ look: 'primary' })} to={paths.login}>
            {t`Login`}
          </Link>
        )}
        <Button look={loginHelps ? 'plain' : 'primary'} onClick={() => void actions.newBeam()}>
          {t`New Beam`}
        </Button>
        <JoinButton look="plain" size="md" />
      </div>
    </section>
  )
}
