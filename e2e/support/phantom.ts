/** A device that the server makes up: it comes without the link, and compares itself as any other would (E8). */
import { createECDH, createHash, randomBytes } from 'node:crypto'
import { expect } from '@playwright/test'
import type { Hostile, Message } from './hostile.ts'

export const PHANTOM = { device_id: '21234567-89ab-8cde-8f01-23456789abcd', name: 'phone', caps: ['e2e1'] }

/** Has a page list the phantom and let it in unasked. Then it is listed no more: whoever comes later sees nothing of it. */
export async function letsPhantomIn(server: Hostile, link: string): Promise<void> {
  await expect.poll(() => server.heard.some(({ type }) => type === 'authed_users')).toBe(true)
  const list = server.last('authed_users')
  server.says({ ...list, message: [...(list.message as object[]), PHANTOM] })
  const ecdh = createECDH('prime256v1')
  const [key, nonce] = [ecdh.generateKeys(), randomBytes(32)]
  const id = new URL(link).searchParams.get('beam_id')?.replaceAll('-', '') ?? ''
  const hash = createHash('sha256').update('beam-e2e/1 sas-commit').update(Buffer.from(id, 'hex'))
  const commitment = hash.update(key).update(nonce).digest('base64url')
  says(server, { op: 'commit', commitment })
  await isTold(server, 'accept')
  says(server, { op: 'reveal', key: key.toString('base64url'), nonce: nonce.toString('base64url') })
  await isTold(server, 'welcome')
  server.says(list)
}

function says(server: Hostile, message: object): void {
  server.says({ type: 'e2e', message, extra: { from: PHANTOM.device_id } })
}

async function isTold(server: Hostile, op: string): Promise<void> {
  const told = ({ type, message, extra }: Message) =>
    type === 'e2e' &&
    (message as { op: string }).op === op &&
    (extra as { to?: string } | null)?.to === PHANTOM.device_id
  await expect.poll(() => server.heard.some(told)).toBe(true)
}
