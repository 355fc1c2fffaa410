/** H8: the API answers as its description says, whoever asks and whatever is sent: no 500, no answer that is not in it. */
import { expect, test } from '@playwright/test'
import { register, saveBeam, shareBeam } from '../support/api.ts'
import { askEverything } from '../support/schemathesis.ts'
import { Server } from '../support/server.ts'

const MINUTES = 60_000

/** They would end the login that the other calls come with. */
const ENDS_THE_LOGIN = ['POST /api/auth/logout/']
/** They would take away the beam and the share that the other calls are to find. */
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
