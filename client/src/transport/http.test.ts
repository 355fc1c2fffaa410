import { i18n } from '@lingui/core'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, HttpError, isCopyGone, LoginOver, type Renewal, readSite, renewLoginBy } from './http'

const user = v.object({ name: v.string() })

type Answer = Response | DOMException | TypeError
let answers: Answer[] = []
let asked: { path: string; init: RequestInit }[] = []

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const html = (status: number) => new Response('<html><body>Bad gateway</body></html>', { status })

const server = async (path: string, init: RequestInit): Promise<Response> => {
  asked.push({ path, init })
  const answer = answers.shift()
  if (!(answer instanceof Response)) throw answer
  return answer
}

const renewal = (outcome: Renewal) => {
  const renew = vi.fn(() => Promise.resolve(outcome))
  renewLoginBy(renew)
  return renew
}

/** Returns the error of a call that gets these answers from the server. */
async function failure(...given: Answer[]): Promise<HttpError> {
  answers = given
  const error = await call('GET', '/auth/me', user).catch((thrown: unknown) => thrown)
  if (!(error instanceof HttpError)) throw new Error('the call did not fail as calls do')
  return error
}

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', server)
  renewal('unknown')
})
afterEach(() => vi.unstubAllGlobals())

it('reads what an older server says of itself', async () => {
  const said = { name: 'Heliograph', version: '0.9.0', public_url: null, repository: 'https://r' }
  answers = [json(200, said)]
  expect(await readSite()).toEqual({ ...said, network_url: null, self_signed: null })
})

it.each([
  [200, false],
  [404, true],
  [410, true],
  [502, null],
])('h41_a_copy_of_which_the_server_answers_%i_is_told_to_be_gone_or_not (%s)', async (status, isGone) => {
  answers = [new Response(null, { status })]
  expect(await isCopyGone('/api/uploads/x')).toBe(isGone)
  expect(asked).toMatchObject([{ path: '/api/uploads/x', init: { method: 'HEAD', cache: 'no-store' } }])
})

it('h41_a_copy_is_not_told_to_be_gone_or_there_without_an_answer', async () => {
  answers = [new TypeError('no network')]
  expect(await isCopyGone('/api/uploads/x')).toBeNull()
})

it.each([
  ['https://beam.example', 'https://beam.example'],
  ['http://192.0.2.7:8080/', 'http://192.0.2.7:8080'],
  ['x', null],
  ['javascript:alert(1)', null],
  ['', null],
])('h2_reads_the_address_%s_of_the_server_as_%s', async (said, read) => {
  const rest = { name: '', version: '', self_signed: null, repository: '' }
  answers = [json(200, { ...rest, public_url: said, network_url: said })]
  expect(await readSite()).toEqual({ ...rest, public_url: read, network_url: read })
})

describe('a call that fails', () => {
  it('has the sentence of the server', async () => {
    const error = await failure(json(429, { detail: 'Wait a minute.', code: 'too_many_requests' }))
    expect(error).toMatchObject({ status: 429, message: 'Wait a minute.', detail: 'Wait a minute.' })
  })

  it('has the errors of each field of a form', async () => {
    const fields = { username: ['This name is taken.'], email: ['No address.'] }
    expect(await failure(json(400, fields))).toMatchObject({ status: 400, detail: null, fields })
  })

  it('names the status when the answer is not from our server', async () => {
    const cut = new Response('{"detail": "Wai', { status: 500 })
    expect((await failure(html(502))).message).toBe('Request failed with status code 502')
    expect((await failure(cut)).message).toBe('Request failed with status code 500')
    expect((await failure(json(503, ['no', 'object']))).message).toBe('Request failed with status code 503')
  })

  it('does not accept a page as an answer, whatever its status', async () => {
    expect(await failure(html(200))).toMatchObject({ status: 200, detail: null })
  })

  it('has the reason why there was no answer', async () => {
    expect((await failure(new TypeError('Failed to fetch'))).message).toBe('Network Error')
    expect((await failure(new DOMException('', 'TimeoutError'))).message).toBe('timeout exceeded')
    expect((await failure(new DOMException('', 'AbortError'))).message).toBe('Request aborted')
  })
})

describe('a call that is refused for its login', () => {
  const refused = () => json(401, { detail: 'Log in first.', code: 'unauthorized' })

  it('is tried once more after the login was renewed', async () => {
    const renew = renewal('renewed')
    answers = [refused(), json(200, { name: 'ada' })]
    expect(await call('PUT', '/auth/profile/', user, { name: 'ada' })).toEqual({ name: 'ada' })
    expect(renew).toHaveBeenCalledTimes(1)
    expect(asked.map(({ path, init }) => [init.method, path, init.body])).toEqual([
      ['PUT', '/api/auth/profile/', '{"name":"ada"}'],
      ['PUT', '/api/auth/profile/', '{"name":"ada"}'],
    ])
  })

  it('is not tried a third time', async () => {
    const renew = renewal('renewed')
    expect(await failure(refused(), refused())).toMatchObject({ status: 401, detail: 'Log in first.' })
    expect(renew).toHaveBeenCalledTimes(1)
  })

  it('says so when the login has ended', async () => {
    renewal('over')
    expect(await failure(refused())).toBeInstanceOf(LoginOver)
    expect(asked).toHaveLength(1)
  })

  it('does not end the login while the network is away', async () => {
    renewal('unknown')
    expect(await failure(refused())).toMatchObject({ status: null, message: 'Network Error', detail: null })
    expect(asked).toHaveLength(1)
  })

  it('renews nothing when the credentials are wrong', async () => {
    const renew = renewal('renewed')
    const error = await failure(json(401, { detail: 'Invalid credentials', code: 'invalid_credentials' }))
    expect(error.detail).toBe('Invalid credentials')
    expect(renew).not.toHaveBeenCalled()
  })
})

describe('in another language', () => {
  beforeEach(() => i18n.loadAndActivate({ locale: 'de', messages: {} }))
  afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

  it('a call that fails has the sentences of the server in that language', async () => {
    const fields = { username: ['This username is already taken', 'A newer sentence.'] }
    const error = await failure(json(400, fields))
    expect(error.fields).toEqual({
      username: ['Dieser Benutzername ist schon vergeben', 'A newer sentence.'],
    })
  })

  it('a call that is refused for wrong credentials renews nothing either', async () => {
    const renew = renewal('renewed')
    const error = await failure(json(401, { detail: 'Invalid credentials', code: 'unauthorized' }))
    const sentence = 'Die Anmeldedaten sind falsch'
    expect(error).toMatchObject({ status: 401, message: sentence, detail: sentence })
    expect(renew).not.toHaveBeenCalled()
  })
})

describe('the body of a call', () => {
  it('is JSON, or a form whose type the browser sets', async () => {
    const form = new FormData()
    form.append('file', new Blob(['x']))
    answers = [json(200, { name: 'a' }), json(200, { name: 'b' })]
    await call('POST', '/a/', user, { a: 1 })
    await call('POST', '/b/', user, form)
    const [first, second] = asked.map(({ init }) => init)
    expect(first).toMatchObject({ body: '{"a":1}', headers: { 'content-type': 'application/json' } })
    expect(second?.body).toBe(form)
    expect(second?.headers).not.toHaveProperty('content-type')
  })
})
