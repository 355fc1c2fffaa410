/** H8: the API answers as described, for any caller and any input: no 500, and no answer that the description lacks. */
import { expect, test } from '@playwright/test'
import { register, saveBeam, shareBeam } from '../support/api.ts'
import { askEverything } from '../support/schemathesis.ts'
import { Server } from '../support/server.ts'

const MINUTES = 60_000

/** Would end the login of the other calls. */
const ENDS_THE_LOGIN = ['POST /api/auth/logout/']
/** Would remove the beam and the share that the other calls need. */
const ENDS_THE_BEAM = [
  'DELETE /api/beams/{beam_id}/',
  'POST /api/beams/{beam_id}/renew/',
  'DELETE /api/beams/unshare/{share_id}/',
]

test.describe('the API answers as it is described', () => {
  test.setTimeout(5 * MINUTES)
  let server: Server

  test.beforeAll(async () => {
    server = await Server.start()
  })
  test.afterAll(() => server.stop())

  test('to nobody', async () => {
    const { passed, report } = await askEverything(server.origin, {})
    expect(passed, report).toBe(true)
  })

  test('to somebody who is logged in', async () => {
    const login = await register(server.origin, 'user')
    const { passed, report } = await askEverything(server.origin, { login, without: ENDS_THE_LOGIN })
    expect(passed, report).toBe(true)
  })

  test('to the owner of a beam', async () => {
    const owner = await register(server.origin, 'owner')
    await register(server.origin, 'friend')
    const beam = await saveBeam(server.origin, owner, 'Desk')
    const share = await shareBeam(server.origin, owner, beam, 'friend')
    const { passed, report } = await askEverything(server.origin, {
      login: owner,
      parameters: { 'path.beam_id': beam, 'query.beam_id': beam, 'path.share_id': share },
      without: [...ENDS_THE_LOGIN, ...ENDS_THE_BEAM],
    })
    expect(passed, report).toBe(true)
  })
})
