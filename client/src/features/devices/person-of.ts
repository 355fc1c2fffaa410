import type { Device } from '../../protocol/bindings'

/** Who is logged in on a device (B7); null for a guest. */
export function personOf(device: Device): { name: string; picture: string | null } | null {
  const { username, first_name, last_name, profile_picture } = device
  if (username === undefined) return null
  const name = [first_name, last_name].filter(Boolean).join(' ').trim()
  return { name: name === '' ? `@${username}` : name, picture: profile_picture ?? null }
}
