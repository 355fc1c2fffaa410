/** R5: the bucket of the server is slow, refuses, or dies while a kept file goes up and while it comes down. */
import { expect } from '@playwright/test'
import { Bucket } from '../support/bucket.ts'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB, type TestFile } from '../support/files.ts'
import { inKeptBeam, isStoredWhole } from '../support/kept-upload.ts'
import { Server } from '../support/server.ts'
import { test as base, type CallDevice } from '../support/stage.ts'
import { Wire } from '../support/wire.ts'

/** A real S3 server, the wire by which the product reaches it, and the product. */
const test = base.extend<object, { bucket: Bucket; store: Wire; server: Server }>({
  bucket: [
    async ({ browserName: _ }, use) => {
      const bucket = await Bucket.start()
      await use(bucket)
      await bucket.stop()
    },
    { scope: 'worker' },
  ],
  store: [
    async ({ bucket }, use) => {
      const store = await Wire.to(bucket.origin)
      await use(store)
      await store.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ bucket, store }, use) => {
      const server = await Server.start(bucket.settingsBy(store.origin))
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
})

const long = { tag: '@long' }

test.setTimeout(2 * LARGE_FILE_MS)
test.afterEach(({ server, store }) => {
  store.allows()
  store.slowsTo(Number.POSITIVE_INFINITY)
  expect(server.log).not.toContain('panicked')
})

/** Ada has shared the film, and both pages say that the beam has no copy of it. */
async function sharesWithoutCopy(device: CallDevice, film: TestFile) {
  const { ada, bob } = await inKeptBeam(device)
  await ada.sharesFiles(film)
  for (const [one, holder] of [
    [ada, 'this device'],
    [bob, '.*'],
  ] as const) {
    const warning = new RegExp(`^Only on ${holder}\\. This beam has no copy\\.$`)
    await expect(one.card(film.name).getByText(warning)).toBeVisible()
  }
  return { ada, bob }
}

test('r5_a_copy_is_stored_by_a_bucket_that_is_slow', long, async ({ device, folder, store }) => {
  const film = await folder.file('film.bin', 24 * MB)
  // Longer than the server keeps the page waiting for an answer.
  store.slowsTo(1.5 * MB)
  const { ada, bob } = await sharesWithoutCopy(device, film)
  await isStoredWhole(bob, ada, film)
})

for (const { status, tag } of [
  // Too many requests, as S3 says it.
  { status: 503, tag: [] },
  // The keys were changed.
  { status: 403, tag: ['@long'] },
] as const) {
  test(`r5_a_copy_is_stored_once_a_bucket_that_answers_${status}_takes_it`, { tag: [...tag] }, async ({
    device,
    folder,
    store,
  }) => {
    const film = await folder.file('film.bin', 12 * MB)
    store.refuses(status)
    const { ada, bob } = await sharesWithoutCopy(device, film)
    await hasFailed(ada, film)
    expect(store.refused).toBeGreaterThan(0)
    store.allows()
    await isStoredWhole(bob, ada, film)
  })
}

test('r5_a_copy_is_stored_after_the_slow_bucket_has_died_in_the_middle_of_it', async ({
  device,
  folder,
  bucket,
  store,
}) => {
  const film = await folder.file('film.bin', 12 * MB)
  // The bucket has to die before it has the rest.
  store.slowsTo(MB)
  const before = store.carried
  const { ada, bob } = await sharesWithoutCopy(device, film)
  await expect
    .poll(() => store.carried - before, { intervals: [100], timeout: 30_000 })
    .toBeGreaterThan(film.size / 3)
  await bucket.dies()
  await hasFailed(ada, film)
  store.slowsTo(Number.POSITIVE_INFINITY)
  await bucket.up()
  await isStoredWhole(bob, ada, film)
})

/** The server has told Ada's page that the bucket does not take the copy, and the page says what that means. */
async function hasFailed(ada: Device, film: TestFile): Promise<void> {
  // An attempt ends within 15 s, and the page asks again for a minute and a half.
  await ada.page.waitForResponse((answer) => answer.status() === 502, { timeout: LARGE_FILE_MS })
  await expect(ada.card(film.name).getByText(/This beam has no copy\.$/)).toBeVisible()
}

/** Bob has a part of Ada's film, and the rest is in the bucket alone. */
async function restIsInTheBucket(device: CallDevice, folder: Folder) {
  const { ada, bob, link } = await inKeptBeam(device)
  const film = await folder.file('film.bin', 80 * MB)
  await ada.sharesFiles(film)
  await Promise.all([bob.pausesAt(film, 10), bob.takes(film)])
  await expect(bob.file(film).getByText('Paused')).toBeVisible()
  await expect(ada.file(film).getByText('Stored')).toBeVisible({ timeout: LARGE_FILE_MS })
  await ada.context.close()
  return { bob, film, link }
}

const button = (device: Device, film: TestFile, name: string) =>
  device.file(film).getByRole('button', { name, exact: true })

test('r5_what_comes_from_the_bucket_goes_on_after_it_has_died_and_after_it_has_refused', async ({
  device,
  folder,
  bucket,
  store,
}) => {
  const { bob, film } = await restIsInTheBucket(device, folder)
  store.slowsTo(3 * MB)
  const before = await bob.progress(film)
  await button(bob, film, 'Resume').click()
  await bob.reaches(film, before + 10)
  await bucket.dies()
  await expect(bob.file(film).getByText('Waiting to go on')).toBeVisible({ timeout: 30_000 })
  store.refuses(503)
  await bucket.up()
  await expect.poll(() => store.refused, { timeout: 30_000 }).toBeGreaterThan(0)
  await expect(bob.file(film).getByText('Waiting to go on')).toBeVisible()
  store.allows()
  store.slowsTo(Number.POSITIVE_INFINITY)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})

test.describe('in a beam in clear text, whose stored files the browser downloads by itself,', () => {
  test.use({ clear: true })

  test(
    'r5_a_download_from_a_bucket_that_dies_fails_and_is_whole_the_next_time',
    long,
    async ({ device, folder, bucket, store }) => {
      const { film, link } = await restIsInTheBucket(device, folder)
      const cleo = await device('Cleo', { own: 'chromium' })
      await cleo.opens(link)
      await cleo.has(film)
      store.slowsTo(6 * MB)
      const coming = cleo.page.waitForEvent('download')
      const before = store.carried
      await cleo.file(film).getByRole('link', { name: 'Save' }).click()
      const download = await coming
      await expect.poll(() => store.carried - before).toBeGreaterThan(film.size / 4)
      await bucket.dies()
      expect(await download.failure()).not.toBeNull()
      store.slowsTo(Number.POSITIVE_INFINITY)
      await bucket.up()
      expect(await cleo.savedSha256(film)).toBe(film.sha256)
    },
  )
})
