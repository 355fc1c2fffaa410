/** What a hostile server answers when it is asked for the notes of a saved beam (H30) changes nothing in it (E3, E4, E14). */
import type { Page } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import { Hostile } from '../support/hostile.ts'
import { test } from '../support/stage.ts'

interface Note {
  readonly seq: number
}

/** Has a page be told that a beam has the last of its notes alone, in clear text. */
async function liesOfNotes(page: Page): Promise<void> {
  await page.route('**/api/notes/beam_notes/**', async (route) => {
    const response = await route.fetch()
    const notes: Note[] = await response.json()
    const lies = notes.slice(-1).map((note) => ({ ...note, content: 'vinegar', seq: note.seq + 1_000 }))
    await route.fulfill({ response, json: lies })
  })
}

test('e4 e14 no item goes from a saved beam, or changes, with the list of its notes @everywhere', async ({
  device,
}) => {
  test.setTimeout(180_000)
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  await hasAccount(laptop)
  const link = await savesBeam(laptop, 'Cabin', 'marmalade')
  await laptop.sharesText('quince')
  await laptop.sees('quince')
  const here = await Hostile.before(phone.page)
  await liesOfNotes(phone.page)
  const answered = phone.page.waitForResponse('**/api/notes/beam_notes/**', { timeout: 60_000 })
  await phone.opens(link)
  await (await answered).finished()

  await laptop.sharesText('lemons')
  await phone.sees('lemons')
  for (const text of ['marmalade', 'quince']) await phone.sees(text)

  const { message, id } = oldest(here)
  here.says({ type: 'delete_note', message, id })
  await laptop.sharesText('figs')
  await phone.sees('figs')
  for (const text of ['marmalade', 'quince', 'lemons']) await phone.sees(text)
  await phone.seesNothingOf('vinegar')
})

/** The oldest item that went by. */
function oldest(here: Hostile) {
  const { items } = here.last('sync').message as { items: { message: unknown; id: string }[] }
  const [first] = items
  if (!first) throw new Error('Nothing went by.')
  return first
}
