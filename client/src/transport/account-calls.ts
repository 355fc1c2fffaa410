/** Accounts and logins (H10 to H17). */
import type { LoginWay, ProfileChange, User } from '../protocol/bindings'
import { currentUserSchema, doneSchema, loginWaySchema, meSchema } from '../protocol/schemas'
import { attempt, call, HttpError } from './http'

const ME = '/auth/me'

/** The fields of the registration form. */
export interface Registration {
  readonly first_name: string
  readonly last_name: string
  readonly username: string
  readonly email: string
  readonly password: string
  readonly profile_picture: File | null
}

/** Returns the user who is logged in; null for a visitor. @throws HttpError with 401 when a login is over */
export async function readMe(): Promise<User | null> {
  return (await call('GET', ME, meSchema)).user ?? null
}

/** Returns what becomes of a password before it is sent (H53). @throws HttpError */
export async function askWay(username: string): Promise<LoginWay> {
  return call('POST', '/auth/way/', loginWaySchema, { username })
}

/** Logs in and returns the user. @param password what is sent as such (E16). @throws HttpError */
export async function logIn(username: string, password: string): Promise<User> {
  return (await call('POST', '/auth/login/', currentUserSchema, { username, password })).user
}

/** Creates an account and logs in. @throws HttpError with the errors of each field */
export async function register(registration: Registration): Promise<User> {
  const form = new FormData()
  for (const [name, value] of Object.entries(registration)) {
    if (value !== null) form.append(name, value)
  }
  return (await call('POST', '/auth/register/', currentUserSchema, form)).user
}

/** @throws HttpError */
export async function logOut(): Promise<void> {
  await attempt('POST', '/auth/logout/', doneSchema)
}

/** Changes the profile and returns the changed user. @throws HttpError with the errors of each field */
export async function changeProfile(change: ProfileChange): Promise<User> {
  return (await call('PUT', '/auth/profile/', currentUserSchema, change)).user
}

/** Changes the profile picture and returns the changed user. @throws HttpError */
export async function changePicture(picture: File): Promise<User> {
  const form = new FormData()
  form.append('profile_picture', picture)
  return (await call('POST', '/auth/profile-picture/', currentUserSchema, form)).user
}

/** Deletes the account and everything that belongs to it. @throws HttpError */
export async function deleteAccount(password: string): Promise<void> {
  await call('DELETE', '/auth/delete-account/', doneSchema, { password })
}

/** Exchanges the refresh cookie for new cookies. @throws HttpError with 401 when the login has ended */
export async function refresh(): Promise<void> {
  await attempt('POST', '/auth/refresh/', doneSchema)
}

/** Returns the user who is logged in, without renewing a stale login. @throws HttpError with 401 when nobody is */
export async function readMeOnce(): Promise<User> {
  const { user } = await attempt('GET', ME, meSchema)
  if (!user) throw new HttpError(401, 'Nobody is logged in.')
  return user
}
