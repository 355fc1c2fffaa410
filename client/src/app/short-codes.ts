/** Short codes: asks for the one of the current beam, and finds the beam of another. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { HttpError } from '../transport/http'
import { loadable } from '../ui/lazy-part'
import { writeClipboard } from './clipboard'
import type { PageContext } from './context'

// Loaded on the first use, not with the first page.
const calls = loadable(() => import('../transport/code-calls'))

const unreachable = () => t`The server does not answer. Are you online?`

type ShortCodes = Pick<Actions, 'findByCode' | 'askForCode' | 'copyShortCode'>

export function createShortCodes({ stores, toaster }: Pick<PageContext, 'stores' | 'toaster'>): ShortCodes {
  return {
    async findByCode(code) {
      try {
        return { beam: await (await calls()).findByCode(code) }
      } catch (error) {
        return {
          why: whyNot(error, t`This code is wrong or has ended. Ask for a new one on the other device.`),
        }
      }
    },
    async askForCode() {
      const state = stores.session.getState()
      if (state.status !== 'set') return { why: t`Join a beam first.` }
      try {
        const { code, expires_in } = await (await calls()).createCode(state.session.beamId)
        return { code, expiresIn: expires_in }
      } catch (error) {
        return { why: whyNot(error, t`There is no code for this beam.`) }
      }
    },
    async copyShortCode(code) {
      if (await writeClipboard(code)) toaster.ok(t`Short code copied successfully`)
      else toaster.bad(t`Failed to copy the short code!`)
    },
  }
}

/** @param unknown shown when the server does not know the code or the beam */
function whyNot(error: unknown, unknown: string): string {
  if (!(error instanceof HttpError) || error.status === null) return unreachable()
  return error.status === 404 ? unknown : (error.detail ?? unreachable())
}
