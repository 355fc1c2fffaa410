import { expect } from '@playwright/test'
import { hasCanvas } from '../support/canvas.ts'
import { BACK } from '../support/device.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

test('after a restart of the server all devices reconnect, with what was shared meanwhile', async ({
  device,
  server,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await hasCanvas(one)
  await ada.sharesText('before')
  await bob.sees('before')

  const witness = await RawClient.joins(link)
  expect(await server.down()).toBe(0)
  expect(await witness.closed).toBe(1012)
  await ada.seesToast(/Reconnecting/)
  await bob.sharesText('meanwhile')
  await bob.sees('meanwhile')
  await server.up()

  await ada.sees('meanwhile', BACK)
  await ada.seesDevices(2, BACK)
  await ada.sharesText('after')
  await bob.sees('after')
  await bob.sees('before')
  await ada.sees('before')
})
