import { Component, type ReactNode } from 'react'
import { Button, ButtonLink } from '../ui/button'
import { Mark } from '../ui/mark'
import css from './error-boundary.module.css'
import { type Failure, failureOf } from './failure'
import { paths } from './paths'

const WORDS: Readonly<Record<Failure, { heading: string; text: string }>> = {
  page: {
    heading: 'Something went wrong on this page',
    text: 'What was shared is still in the beam. Load the page again to go on.',
  },
  part: {
    heading: 'A part of the page could not be loaded',
    text: 'The server does not answer, or there is no network. Everything else still works, and what moves goes on.',
  },
}

/** Stands in for the page when drawing it failed, and offers the ways out. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: Failure | null }> {
  override state = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: failureOf(error) }
  }

  override render() {
    const failure: Failure | null = this.state.failure
    if (!failure) return this.props.children
    const { heading, text } = WORDS[failure]
    return (
      <main className={css.page}>
        <Mark size={40} />
        <h1>{heading}</h1>
        <p>{text}</p>
        <div className={css.buttons}>
          <Button look="primary" onClick={() => window.location.reload()}>
            Load again
          </Button>
          {failure === 'part' ? (
            <Button onClick={() => this.setState({ failure: null })}>Go on without it</Button>
          ) : (
            <ButtonLink href={paths.home}>Home</ButtonLink>
          )}
        </div>
      </main>
    )
  }
}
