/** What a person is told of a save. */
import { plural, t } from '@lingui/core/macro'
import { failureText } from '../features/transfer/failure-text'
import { HttpError } from '../transport/http'
import { InterruptedError } from '../transport/lasting-bytes'
import { NotReceived } from './arrival'

export function savedText(name: string): string {
  return t`Saved “${name}”`
}

export function savedCount(saved: number): string {
  return plural(saved, { one: 'Saved # file', other: 'Saved # files' })
}

export function notSaved(name: string): string {
  return t`“${name}” could not be saved.`
}

/** @param failed the names of those that could not be saved. The first one is told. */
export function notSavedAll(saved: number, all: number, [name = '', ...more]: readonly string[]): string {
  if (all === 1) return notSaved(name)
  const others = more.length
  if (others === 0) return t`Saved ${saved} of ${all} files. “${name}” could not be saved.`
  return plural(others, {
    one: `Saved ${saved} of ${all} files. “${name}” and # other could not be saved.`,
    other: `Saved ${saved} of ${all} files. “${name}” and # others could not be saved.`,
  })
}

export function noRoomFor(name: string): string {
  return t`There is no room on this device to save “${name}”. Choose fewer files.`
}

/** Says why a save stopped, behind the sentence that it did. */
export function withReason(sentence: string, error: unknown): string {
  const reason = reasonOf(error)
  return reason === null ? sentence : `${sentence} ${reason}`
}

function reasonOf(error: unknown): string | null {
  if (error instanceof InterruptedError) return t`The connection was cut.`
  if (error instanceof NotReceived) return failureText(error.why)
  if (error instanceof HttpError) return t`The file could not be read.`
  if (!(error instanceof DOMException)) return null
  switch (error.name) {
    case 'QuotaExceededError':
      return t`There is no space left on this device. Make room, then try again.`
    case 'NotAllowedError':
      return t`The browser may no longer write there.`
    case 'NotReadableError':
      return t`The file could not be read.`
    default:
      return null
  }
}
