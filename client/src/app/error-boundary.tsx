import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Component, type ReactNode } from 'react'
import { paths } from '../features/paths'
import { Button, ButtonLink } from '../ui/button'
import { askAgain } from '../ui/lazy-part'
import { Mark } from '../ui/mark'
import css from './error-boundary.module.css'
import { type Failure, failureOf } from './failure'

const WORDS: Readonly<Record<Failure, { heading: MessageDescriptor; text: MessageDescriptor }>> = {
  page: {
    heading: msg`Something went wrong on this page`,
    text: msg`What was shared is still in the beam. Load the page again to go on.`,
  },
  part: {
    heading: msg`A part of the page could not be loaded`,
    text: msg`The server does not answer, or there is no network. Everything else still works, and transfers continue.`,
  },
}

interface ErrorBoundaryProps {
  children: ReactNode
  /** Closes what needed the part that did not load, so that the page can be drawn without it. */
  onGoOn?: () => void
  /** The current page. When it changes, an earlier failure is forgotten. */
  page?: string
}

/**
 * Shows the ways out when drawing its children fails. When only a part did not load, the part can be loaded again
 * without losing what is on the page.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure: Failure | null }> {
  override state: { failure: Failure | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: failureOf(error) }
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failure && before.page !== this.props.page) this.#drawAgain()
  }

  #drawAgain = () => {
    askAgain()
    this.setState({ failure: null })
  }

  #goOn = () => {
    this.props.onGoOn?.()
    this.#drawAgain()
  }

  override render() {
    const { failure } = this.state
    if (!failure) return this.props.children
    const { heading, text } = WORDS[failure]
    return (
      <main className={css.page}>
        <Mark size={40} />
        <h1>{i18n._(heading)}</h1>
        <p>{i18n._(text)}</p>
        <div className={css.buttons}>
          {failure === 'part' ? (
            <>
              <Button look="primary" onClick={this.#drawAgain}>
                {t`Try again`}
              </Button>
              <Button onClick={this.#goOn}>{t`Go on without it`}</Button>
              <Button look="ghost" onClick={() => window.location.reload()}>
                {t`Load again`}
              </Button>
            </>
          ) : (
            <>
              <Button look="primary" onClick={() => window.location.reload()}>
                {t`Load again`}
              </Button>
              <ButtonLink href={paths.home}>{t`Home`}</ButtonLink>
            </>
          )}
        </div>
      </main>
    )
  }
}
