// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountActions } from '../features/account-actions'
import { createStores, type Stores } from '../stores/stores'
import { createAccount } from './account'
import { hasKnownVault, rememberVault } from './known-vaults'
import { AS_TYPED, NothingToSend, type Passwords } from './password-proof'
import { createToaster } from './toaster'

const ada = {
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.org',
  profile_picture: null,
}
const EXPIRED = 'Session expired. Please login again.'
const FIVE_MINUTES = 300_000

type Answers = Readonly<Record<string, () => Response>>

const json = (status: number, body: unknown) => () => new Response(JSON.stringify(body), { status })
const page = () => new Response('<html></html>', { status: 200 })
const away = () => {
  throw new TypeError('Failed to fetch')
}
const refused = json(401, { detail: 'Log in first.', code: 'unauthorized' })

const LOGGED_IN: Answers = { 'GET /auth/me': json(200, { user: ada }) }
const OVER: Answers = { 'GET /auth/me': refused, 'POST /auth/refresh/': refused }
const NOBODY: Answers = { 'GET /auth/me': json(200, {}) }
const AWAY: Answers = { 'GET /auth/me': away, 'POST /auth/refresh/': away }

let server: Answers
let stores: Stores
let actions: AccountActions
/** Removes the listeners that this page added to the window. */
let leaves: AbortController

const status = () => stores.account.getState().status
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
/** How often something was said: a repeated toast replaces the one before, but has another id. */
const saidTimes = () => stores.toasts.getState().toasts.at(-1)?.id ?? 0
const settled = () => vi.advanceTimersByTimeAsync(0)
const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function opens(answers: Answers, passwords?: Passwords): Promise<void> {
  server = answers
  stores = createStores()
  actions = createAccount(stores, createToaster(stores.toasts), () => {}, passwords)
  await settled()
}

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  sessionStorage.clear()
  leaves = new AbortController()
  const listen = window.addEventListener.bind(window)
  vi.stubGlobal('addEventListener', (type: string, listener: EventListener) =>
    listen(type, listener, { signal: leaves.signal }),
  )
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    const answer = server[`${method} ${path.replace('/api', '')}`]
    if (!answer) throw new Error(`nobody asked for ${method} ${path}`)
    return answer()
  })
})
afterEach(() => {
  leaves.abort()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the start of a page', () => {
  it('finds out who is logged in', async () => {
    await opens(LOGGED_IN)
    expect(stores.account.getState()).toEqual({ status: 'authenticated', user: ada })
  })

  it.each([
    ['who has no login, and asks nothing else', NOBODY],
    ['whose login is over', OVER],
  ])('shows nothing to a visitor %s', async (_who, answers) => {
    await opens(answers)
    expect(status()).toBe('anonymous')
    expect(toasts()).toEqual([])
  })

  it('continues without an answer, and asks again after a while', async () => {
    await opens(AWAY)
    server = LOGGED_IN
    await passes(10_000)
    expect(status()).toBe('authenticated')
  })

  it('continues without an answer, and asks again when the network is back', async () => {
    await opens(AWAY)
    expect(stores.account.getState()).toEqual({ status: 'anonymous', isGuess: true })
    server = LOGGED_IN
    window.dispatchEvent(new Event('online'))
    await settled()
    expect(status()).toBe('authenticated')
    expect(toasts()).toEqual([])
  })
})

describe('a server that is away from the start', () => {
  let asked: number
  const counted = (): Response => {
    asked += 1
    return away()
  }
  const comesOnline = async () => {
    window.dispatchEvent(new Event('online'))
    await settled()
  }
  beforeEach(() => {
    asked = 0
  })

  it('is asked once in a while, however long that lasts and often the network comes back', async () => {
    await opens({ 'GET /auth/me': counted })
    for (let times = 0; times < 10; times += 1) await comesOnline()
    await passes(2 * FIVE_MINUTES)
    asked = 0
    await passes(60_000)
    expect(asked).toBe(6)
  })

  it('is asked nothing more before it has answered', async () => {
    let answers = (_: Response) => {}
    const slow = new Promise<Response>((resolve) => (answers = resolve))
    const asks = vi.fn(() => slow)
    server = AWAY
    vi.stubGlobal('fetch', asks)
    stores = createStores()
    actions = createAccount(stores, createToaster(stores.toasts), () => {})
    await settled()
    await comesOnline()
    await comesOnline()
    expect(asks).toHaveBeenCalledOnce()
    answers(LOGGED_IN['GET /auth/me']?.() ?? away())
    await settled()
    expect(status()).toBe('authenticated')
  })
})

describe('the check of every five minutes', () => {
  it.each([
    ['', OVER],
    [' and whose cookies are gone', NOBODY],
  ])('shows once that a login has ended%s', async (_how, over) => {
    await opens(LOGGED_IN)
    server = over
    await passes(FIVE_MINUTES - 1)
    expect(status()).toBe('authenticated')
    await passes(1)
    expect(status()).toBe('anonymous')
    expect(toasts()).toEqual([EXPIRED])
    expect(saidTimes()).toBe(1)
  })

  it('logs nobody out while the network is away, or behind a login page of the network', async () => {
    await opens(LOGGED_IN)
    server = AWAY
    await passes(FIVE_MINUTES)
    server = { 'GET /auth/me': page }
    await passes(FIVE_MINUTES)
    server = { 'GET /auth/me': refused, 'POST /auth/refresh/': away }
    await passes(FIVE_MINUTES)
    expect(status()).toBe('authenticated')
    expect(toasts()).toEqual([])
  })

  it('does not ask when the page has no login', async () => {
    await opens(OVER)
    server = {}
    await passes(FIVE_MINUTES)
    expect(status()).toBe('anonymous')
  })
})

describe('a login', () => {
  const login = (answer: () => Response) => {
    server = { ...server, 'POST /auth/login/': answer }
    return actions.logIn('ada', 'secret')
  }
  beforeEach(() => opens(OVER))

  it('logs a person in', async () => {
    expect(await login(json(200, { user: ada }))).toEqual({ ok: true })
    expect(status()).toBe('authenticated')
    expect(toasts()).toEqual(['Login successful!'])
  })

  it('shows the error of the server, else whether there was an answer', async () => {
    const wrong = await login(json(401, { detail: 'Invalid credentials', code: 'invalid_credentials' }))
    // The form shows it, too.
    expect(wrong).toEqual({ ok: false, fields: {}, whole: 'Invalid credentials' })
    expect(toasts()).toEqual(['Invalid credentials'])
    await login(json(200, {}))
    expect(toasts()).toEqual(['Login failed 1'])
    await login(away)
    expect(toasts()).toEqual(['Login failed 2'])
    await login(() => new Response('<html></html>', { status: 502 }))
    expect(toasts()).toEqual(['Login failed 2'])
    expect(status()).toBe('anonymous')
  })

  it('takes back the error of the one before once it succeeds, and nothing else', async () => {
    actions.comingSoon('Coming soon!')
    await login(json(401, { detail: 'Invalid credentials', code: 'invalid_credentials' }))
    await login(json(200, { user: ada }))
    expect(toasts()).toEqual(['Coming soon!', 'Login successful!'])
  })
})

describe('a login to an account with a vault', () => {
  it('e17 has succeeded once a page that is loaded now can open the vault', async () => {
    let isKept = () => {}
    const accepted = vi.fn(() => new Promise<void>((resolve) => (isKept = resolve)))
    await opens(NOBODY, { ...AS_TYPED, prove: async () => 'a part of it', accepted })
    server = { 'POST /auth/login/': json(200, { user: ada }) }
    const outcome = actions.logIn('ada', 'secret')
    await settled()
    expect([accepted.mock.calls, status(), toasts()]).toEqual([[['ada']], 'anonymous', []])
    isKept()
    expect(await outcome).toEqual({ ok: true })
    expect([status(), toasts()]).toEqual(['authenticated', ['Login successful!']])
  })

  it('e17 leaves nothing of a wrong password', async () => {
    const accepted = vi.fn(async () => {})
    await opens(NOBODY, { ...AS_TYPED, prove: async () => 'a part of it', accepted })
    server = { 'POST /auth/login/': json(401, { detail: 'Invalid credentials', code: 'unauthorized' }) }
    expect((await actions.logIn('ada', 'secret')).ok).toBe(false)
    expect(accepted).not.toHaveBeenCalled()
  })

  it.each([
    ['login', () => actions.logIn('ada', 'secret')],
    ['deletion of the account', () => actions.deleteAccount('secret')],
  ])('e16 says why its password can be sent from no page without https at its %s', async (_, act) => {
    const why = 'Vaults need an encrypted page (https).'
    await opens(NOBODY, { ...AS_TYPED, prove: () => Promise.reject(new NothingToSend(why)) })
    expect([await act(), toasts()]).toEqual([{ ok: false, fields: {}, whole: why }, [why]])
  })
})

it.each([
  ['a login', 'POST /auth/login/', () => actions.logIn('ada', 'secret')],
  ['a registration', 'POST /auth/register/', () => actions.register({ ...ada, password: 'secret' })],
] as const)('e17 %s by a password as it was typed is known to be one', async (_, call, act) => {
  const acceptedAsTyped = vi.fn(async (_: string) => {})
  await opens(NOBODY, { ...AS_TYPED, acceptedAsTyped })
  server = { [call]: json(200, { user: ada }) }
  expect(await act()).toEqual({ ok: true })
  expect(acceptedAsTyped.mock.calls).toEqual([['ada']])
})

it.each([
  ['login', 'POST /auth/login/', () => actions.logIn('bob', 'secret')],
  [
    'registration',
    'POST /auth/register/',
    () => actions.register({ ...ada, username: 'bob', password: 'secret', profile_picture: null }),
  ],
] as const)(
  'e16 the vault of another account that the server names after a %s stays known',
  async (_, call, act) => {
    rememberVault('ada')
    const acceptedAsTyped = vi.fn(async (_: string) => {})
    await opens(NOBODY, { ...AS_TYPED, acceptedAsTyped })
    server = { [call]: json(200, { user: ada }) }
    expect((await act()).ok).toBe(false)
    expect([hasKnownVault('ada'), status(), acceptedAsTyped.mock.calls]).toEqual([true, 'anonymous', []])
  },
)

it('e16 an account is the same however its name is typed', async () => {
  await opens(NOBODY)
  server = { 'POST /auth/login/': json(200, { user: ada }) }
  expect(await actions.logIn(' Ada ', 'secret')).toEqual({ ok: true })
})

describe('what a person does', () => {
  beforeEach(() => opens(LOGGED_IN))

  it('returns errors of fields, and shows no toast for them', async () => {
    server = { 'PUT /auth/profile/': json(400, { username: ['This name is taken.'] }) }
    const outcome = await actions.changeProfile({ username: 'grace' })
    expect(outcome).toEqual({ ok: false, fields: { username: 'This name is taken.' }, whole: null })
    expect(toasts()).toEqual([])
  })

  it('fails with the sentences of the specification', async () => {
    server = {
      'PUT /auth/profile/': away,
      'POST /auth/register/': away,
      'DELETE /auth/delete-account/': away,
    }
    await actions.changeProfile({ username: 'grace' })
    expect(toasts()).toEqual(['Failed to update profile'])
    await actions.deleteAccount('secret')
    expect(toasts()).toEqual(['Failed to delete account'])
    await actions.register({ ...ada, password: 'secret', profile_picture: null })
    expect(toasts()).toEqual(['Registration failed'])
    expect(status()).toBe('authenticated')
  })

  it('e16 forgets the vault of an account that is deleted, and of one that is made anew', async () => {
    vi.stubGlobal('location', { assign: () => {} })
    rememberVault('ada')
    server = { 'DELETE /auth/delete-account/': json(200, { success: true }) }
    await actions.deleteAccount('secret')
    expect(hasKnownVault('ada')).toBe(false)
    rememberVault('ada')
    server = { 'POST /auth/register/': json(201, { user: ada }) }
    await actions.register({ ...ada, password: 'secret', profile_picture: null })
    expect(hasKnownVault('ada')).toBe(false)
  })

  it('e17 leaves the page of an account that is deleted once nothing of its vault is on the device', async () => {
    let isGone = () => {}
    await opens(LOGGED_IN, { ...AS_TYPED, accountGone: () => new Promise((resolve) => (isGone = resolve)) })
    const assign = vi.fn()
    vi.stubGlobal('location', { assign })
    server = { 'DELETE /auth/delete-account/': json(200, { success: true }) }
    const outcome = actions.deleteAccount('secret')
    await settled()
    expect(assign).not.toHaveBeenCalled()
    isGone()
    expect(await outcome).toEqual({ ok: true })
    expect(assign).toHaveBeenCalledOnce()
  })

  it('notices that a login has ended, and shows it once', async () => {
    server = { ...OVER, 'PUT /auth/profile/': refused }
    await actions.changeProfile({ username: 'grace' })
    expect(status()).toBe('anonymous')
    expect(toasts()).toEqual([EXPIRED])
    expect(saidTimes()).toBe(1)
  })

  it('renews a stale login without a message', async () => {
    const answers = [refused, json(200, { user: { ...ada, first_name: 'Grace' } })]
    server = {
      ...LOGGED_IN,
      'POST /auth/refresh/': json(200, { success: true }),
      'PUT /auth/profile/': () => (answers.shift() ?? away)(),
    }
    expect(await actions.changeProfile({ first_name: 'Grace' })).toEqual({ ok: true })
    expect(toasts()).toEqual(['Profile updated successfully!'])
  })

  it('logs out only after the server has confirmed it', async () => {
    server = { 'POST /auth/logout/': away }
    expect(await actions.logOut()).toBe(false)
    expect(status()).toBe('authenticated')
    expect(toasts()).toEqual(['Network Error'])
    server = { 'POST /auth/logout/': json(200, { success: true }) }
    expect(await actions.logOut()).toBe(true)
    expect(status()).toBe('anonymous')
    expect(toasts().at(-1)).toBe('Logged out successfully')
  })
})

describe('a profile picture', () => {
  const file = new File(['picture'], 'me.png', { type: 'image/png' })
  /** Sets the result of converting a picture to JPEG; null when the browser makes none. */
  const canvasGives = (blob: Blob | null) => {
    vi.stubGlobal('createImageBitmap', async () => ({ width: 800, height: 600, close() {} }))
    const draw = { fillRect() {}, drawImage() {} }
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(draw as never)
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((take) => take(blob))
  }

  beforeEach(() => opens(LOGGED_IN))
  afterEach(() => vi.restoreAllMocks())

  it('that cannot be drawn is refused with a message', async () => {
    canvasGives(null)
    await actions.changePicture(file)
    expect(toasts()).toEqual(['Failed to process image'])
  })

  it('that the server did not receive is reported', async () => {
    canvasGives(new Blob(['small'], { type: 'image/jpeg' }))
    server = { 'POST /auth/profile-picture/': away }
    await actions.changePicture(file)
    expect(toasts()).toEqual(['Failed to update profile picture'])
  })

  it('that the server has is shown', async () => {
    canvasGives(new Blob(['small'], { type: 'image/jpeg' }))
    const user = { ...ada, profile_picture: '/api/pictures/abc' }
    server = { 'POST /auth/profile-picture/': json(200, { user }) }
    await actions.changePicture(file)
    expect(stores.account.getState()).toEqual({ status: 'authenticated', user })
    expect(toasts()).toEqual(['Profile picture updated successfully!'])
  })
})
