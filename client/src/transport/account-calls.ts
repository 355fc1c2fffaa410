/** Accounts and logins (H10 to H17). */
import type { ProfileChange, User } from '../protocol/bindings'
import { currentUserSchema, doneSchema } from '../protocol/schemas'
import { attempt, call } from './http'

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

/** Returns the user who is logged in. @throws HttpError with 401 when nobody is */
export async function readMe(): Promise<User> {
  return (await call('GET', ME, currentUserSchema)).user
}

/** Logs in and returns the user. @throws HttpError */
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

/** As `readMe`, but without renewing a stale login and without a retry. @throws HttpError */
export async function readMeOnce(): Promise<User> {
  return (await attempt('GET', ME, currentUserSchema)).user
}
