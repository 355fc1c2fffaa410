/** Accounts and beams by API calls, without a page. */
import { RawClient } from './raw-client.ts'

/** An account with its login. */
export interface Login {
  username: string
  /** The access token. */
  access: string
}

/** Registers an account and logs in. */
export async function register(origin: string, username: string): Promise<Login> {
  const form = new FormData()
  form.set('first_name', 'Ada')
  form.set('last_name', 'Lovelace')
  form.set('username', username)
  form.set('email', `${username}@example.org`)
  form.set('password', `${username}'s password`)
  const answer = await fetch(`${origin}/api/auth/register/`, { method: 'POST', body: form })
  if (answer.status !== 201) throw new Error(`${username} could not register: ${await answer.text()}`)
  const access = /(?:^|, )access=([^;]+)/.exec(answer.headers.getSetCookie().join(', '))?.[1]
  if (access === undefined) throw new Error(`${username} got no token`)
  return { username, access }
}

/** Creates a beam, shares something in it and saves it. Returns its id. */
export async function saveBeam(origin: string, owner: Login, name: string): Promise<string> {
  const answer = await fetch(`${origin}/api/beams/create/`, { method: 'POST' })
  const beam = (await answer.json()) as { beam_id: string; beam_key: string }
  const device = await RawClient.connects(`${origin}/?beam_id=${beam.beam_id}`, `access=${owner.access}`)
  device.send({ type: 'auth', message: beam.beam_key, extra: { v: 1, caps: [], name: 'Owner' } })
  await device.next('auth_success')
  device.send({ type: 'share_clipboard', message: 'A note that stays' })
  await device.next('rec_clipboard')
  device.send({ type: 'save_beam', message: name })
  await device.next('beam_saved')
  device.leaves()
  return beam.beam_id
}

/** Shares a beam with a person. Returns the share's id. */
export async function shareBeam(
  origin: string,
  owner: Login,
  beamId: string,
  username: string,
): Promise<string> {
  const answer = await fetch(`${origin}/api/beams/share/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `access=${owner.access}` },
    body: JSON.stringify({ beam_id: beamId, username, share_type: 'write' }),
  })
  return ((await answer.json()) as { id: string }).id
}
