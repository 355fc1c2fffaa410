// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest'
import { createOwnDevice, ownDeviceName } from './own-device'

const tell = vi.fn()

beforeEach(() => {
  localStorage.clear()
  tell.mockClear()
})

it('s32_a_name_is_kept_in_this_browser_and_told_and_an_empty_one_means_the_default', () => {
  const { renameDevice } = createOwnDevice(tell)
  const byDefault = ownDeviceName()
  renameDevice("  Mira's\u202e desk ")
  expect(ownDeviceName()).toBe("Mira's desk")
  expect(tell).toHaveBeenLastCalledWith("Mira's desk")
  renameDevice(' \u200b\u00ad ')
  expect(ownDeviceName()).toBe(byDefault)
  expect(tell).toHaveBeenLastCalledWith(byDefault)
})

it('s32_another_tab_of_this_browser_takes_the_new_name', () => {
  createOwnDevice(tell)
  localStorage.setItem('device name', 'Desk')
  dispatchEvent(new StorageEvent('storage', { key: 'device name' }))
  expect(tell).toHaveBeenLastCalledWith('Desk')
})

it('s6_a_name_has_at_most_eighty_characters', () => {
  createOwnDevice(tell).renameDevice('😀'.repeat(100))
  expect([...ownDeviceName()]).toHaveLength(80)
})
