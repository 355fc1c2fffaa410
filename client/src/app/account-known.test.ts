import { beforeEach, expect, it, vi } from 'vitest'
import type { User } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { isLoggedIn } from './account-known'

const ada = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
let answer: () => Promise<User | null>
vi.mock('../transport/account-calls', () => ({ readMe: () => answer() }))

let stores: Stores
beforeEach(() => {
  stores = createStores()
})

it('does not ask again where the server has said that nobody is logged in', async () => {
  answer = () => Promise.reject(new Error('asked'))
  stores.account.setState({ status: 'anonymous' }, true)
  expect(await isLoggedIn(stores)).toBe(false)
})

it.each(['authenticated', 'anonymous'] as const)(
  'asks the server where the page takes somebody for %s',
  async (status) => {
    const known = {
      authenticated: { status: 'authenticated', user: ada },
      anonymous: { status: 'anonymous', isGuess: true },
    } as const
    stores.account.setState(known[status], true)
    answer = () => Promise.reject(new Error('no answer'))
    await expect(isLoggedIn(stores)).rejects.toThrow('no answer')
    answer = async () => ada
    expect(await isLoggedIn(stores)).toBe(true)
  },
)
