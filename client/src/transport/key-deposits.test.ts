import { afterEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { readDeposit, writeDeposit } from './key-deposits'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

const DEPOSIT = { keys: ['k'], current: 'k', proof: null }

afterEach(() => vi.unstubAllGlobals())

const answers = (status: number, body: object = {}) =>
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }))

it('h52_a_beam_has_no_deposit_where_the_server_says_so', async () => {
  answers(200, { keys: [], current: null })
  expect(await readDeposit(BEAM)).toBeNull()
})

it.each([401, 403, 404])('h52_a_beam_has_no_deposit_for_a_caller_who_is_refused_with_%i', async (status) => {
  answers(status)
  expect(await readDeposit(BEAM)).toBeNull()
})

it.each([403, 404, 409])('h52_a_deposit_that_is_refused_with_%i_is_not_to_be_tried_again', async (status) => {
  answers(status)
  await expect(writeDeposit(BEAM, DEPOSIT)).resolves.toBeUndefined()
})

it.each([401, 429, 503])('h52_a_deposit_that_is_answered_with_%i_may_be_taken_later', async (status) => {
  answers(status)
  await expect(writeDeposit(BEAM, DEPOSIT)).rejects.toThrow()
})

it.each([429, 500, 503])('h52_an_answer_of_%i_says_nothing_of_a_deposit', async (status) => {
  answers(status)
  await expect(readDeposit(BEAM)).rejects.toThrow()
})
