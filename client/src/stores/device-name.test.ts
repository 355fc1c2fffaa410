import { i18n } from '@lingui/core'
import { afterEach, expect, it } from 'vitest'
import { messages as de } from '../languages/de.po'
import { messages as en } from '../languages/en.po'
import { defaultName, isDefaultName, shownName } from './device-name'

afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: en }))

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

it('is the browser and the system, in English for everybody', () => {
  i18n.loadAndActivate({ locale: 'de', messages: de })
  expect(defaultName(IPHONE)).toBe('Safari on iPhone')
  expect(defaultName('curl/8')).toBe('Browser on a device')
})

it('is shown in the language of the page, with the number that tells equal devices apart', () => {
  i18n.loadAndActivate({ locale: 'de', messages: de })
  expect(shownName('Safari on iPhone')).toBe('Safari auf iPhone')
  expect(shownName('Samsung Internet on Android 3')).toBe('Samsung Internet auf Android 3')
  expect(shownName('Browser on a device')).toBe('Browser auf einem Gerät')
})

it('that a person has given is shown as it is', () => {
  for (const name of ['Rosie on Linux', 'Chrome on Linux of Ada', 'chrome on linux', 'Laptop']) {
    expect(shownName(name)).toBe(name)
    expect(isDefaultName(name)).toBe(false)
  }
  expect(isDefaultName('Chrome on Linux')).toBe(true)
})
