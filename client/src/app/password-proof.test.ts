// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hasKnownVault, rememberVault } from './known-vaults'
import { NothingToSend, passwordsFor, WantsPassword } from './password-proof'

const STRETCH = { salt: 'A'.repeat(22), memory_kib: 65_536, passes: 3 }
let told: { stretch: typeof STRETCH | null }

vi.mock('../transport/account-calls', () => ({ askWay: async () => told }))

const stretching = vi.fn(async (password: string) => `part of ${password}`)
const keepOpener = vi.fn(async () => {})
const loggedInAsTyped = vi.fn(async () => {})
const leaveVault = vi.fn(async () => {})
const { prove, accepted, accountGone } = passwordsFor({
  prove: stretching,
  keepOpener,
  loggedInAsTyped,
  leaveVault,
})

beforeEach(() => {
  localStorage.clear()
  vi.clearAllMocks()
  told = { stretch: null }
})

describe('what is sent as a password', () => {
  it('e16 is what was typed where the account has no vault', async () => {
    expect(await prove('ada', 'correct horse')).toBe('correct horse')
    expect(stretching).not.toHaveBeenCalled()
  })

  it('e16 is a part of it where the account has one', async () => {
    told = { stretch: STRETCH }
    expect(await prove('ada', 'correct horse')).toBe('part of correct horse')
  })

  it('e16 is nothing where the server denies a vault that this device knows, in any case of the name', async () => {
    rememberVault('Ada')
    await expect(prove('aDA', 'correct horse')).rejects.toThrow(WantsPassword)
    expect(await prove('bob', 'correct horse')).toBe('correct horse')
  })

  it('e16 is nothing of an account with a vault on a page without https, which says so', async () => {
    told = { stretch: STRETCH }
    vi.stubGlobal('crypto', {})
    await expect(prove('ada', 'correct horse')).rejects.toThrow(NothingToSend)
    await expect(prove('ada', 'correct horse')).rejects.toThrow('Vaults need an encrypted page (https).')
    expect(stretching).not.toHaveBeenCalled()
    vi.unstubAllGlobals()
  })

  it('e16 is what the operator has given, when its person says so', async () => {
    rememberVault('ada')
    expect(await prove('ada', 'given', true)).toBe('given')
  })
})

it('e17 a password that the server has taken opens the vault for later pages, and its account is known to have one', async () => {
  await accepted('ada')
  expect([hasKnownVault('ada'), keepOpener.mock.calls.length]).toEqual([true, 1])
})

it('e17 a login does not fail where the browser keeps nothing', async () => {
  keepOpener.mockRejectedValueOnce(new Error('The keys cannot be reached.'))
  await expect(accepted('ada')).resolves.toBeUndefined()
})

it('e16 the accounts that had a vault here are remembered, also beside what is no list', () => {
  rememberVault('ada')
  rememberVault('bob')
  expect([hasKnownVault('ADA'), hasKnownVault('bob'), hasKnownVault('cy')]).toEqual([true, true, false])
  localStorage.setItem('accounts with a vault', '{broken')
  expect(hasKnownVault('ada')).toBe(false)
})

it('e17 of an account that is gone, the vault is left', async () => {
  await accountGone()
  expect(leaveVault).toHaveBeenCalledOnce()
})
