/** A worker that was replaced knows nothing of the beam in which a device waits to be let in. */
import { beforeEach, it } from 'vitest'
import { ADA, ada, BEAM, BOB, begins, mortalSecrets, Page, server } from './sealed-beam-stage'

beforeEach(begins)

it('e6_a_device_with_the_link_asks_by_the_next_worker', async () => {
  const { secrets, diesBefore } = mortalSecrets()
  const bob = new Page(server, BOB, ada.invite, secrets)
  await bob.is('waiting')
  diesBefore('ask')
  server.lists(ADA, BOB)
  await bob.is('sealed')
})

it('e8_a_device_without_the_link_begins_by_the_next_worker', async () => {
  const { secrets, diesBefore } = mortalSecrets()
  const bob = new Page(server, BOB, null, secrets)
  await secrets.enter(BEAM, null)
  diesBefore('commit')
  server.lists(ADA, BOB)
  await bob.is('sealed')
})

it('e11_a_device_that_finds_no_key_makes_one_by_the_next_worker', async () => {
  server.pages.delete(ADA)
  const { secrets, diesBefore } = mortalSecrets()
  const bob = new Page(server, BOB, ada.invite, secrets)
  await bob.is('waiting')
  diesBefore('makeKey')
  server.lists(BOB)
  await bob.is('sealed')
})
