// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../protocol/bindings'
import { HttpError } from './http'
import { loginRenewal } from './login-renewal'

const ada: User = {
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.org',
  profile_picture: null,
}

const heard: string[] = []
const onRefreshed = (event: Event) => heard.push(`refreshed ${(event as CustomEvent<User>).detail.username}`)
const onLogout = () => heard.push('logout')

beforeEach(() => {
  localStorage.clear()
  heard.length = 0
  window.addEventListener('tokenRefreshed', onRefreshed)
  window.addEventListener('authLogout', onLogout)
})

afterEach(() => {
  window.removeEventListener('tokenRefreshed', onRefreshed)
  window.removeEventListener('authLogout', onLogout)
})

function calls(refresh: () => Promise<void>, now = () => 10_000) {
  return { refresh: vi.fn(refresh), readMe: () => Promise.resolve(ada), storage: localStorage, now }
}

test('calls refused at the same time renew the login once', async () => {
  const server = calls(() => Promise.resolve())
  const renew = loginRenewal(server)
  expect(await Promise.all([renew(), renew(), renew()])).toEqual(['renewed', 'renewed', 'renewed'])
  expect(server.refresh).toHaveBeenCalledTimes(1)
  expect(heard).toEqual(['refreshed ada'])
})

test('the end of a login is announced once, however many calls notice', async () => {
  const renew = loginRenewal(calls(() => Promise.reject(new HttpError(401, 'over'))))
  expect(await Promise.all([renew(), renew()])).toEqual(['over', 'over'])
  expect(heard).toEqual(['logout'])
})

test('a network that is away logs nobody out', async () => {
  const renew = loginRenewal(calls(() => Promise.reject(new HttpError(null, 'Network Error'))))
  expect(await renew()).toBe('unknown')
  expect(heard).toEqual([])
})

test('a login that another tab has just renewed is not renewed again', async () => {
  const server = calls(() => Promise.resolve())
  await loginRenewal(server)()
  await loginRenewal(server)()
  expect(server.refresh).toHaveBeenCalledTimes(1)
  const later = calls(
    () => Promise.resolve(),
    () => 13_000,
  )
  await loginRenewal(later)()
  expect(later.refresh).toHaveBeenCalledTimes(1)
})
