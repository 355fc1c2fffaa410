import { i18n } from '@lingui/core'
import { expect, it } from 'vitest'
import signs from '../../../../shared/tests/signs.json'
import { SIGNS } from './signs'

it('e8 every client shows the same picture for a number, with the same name', () => {
  expect(SIGNS.map(({ picture, name }) => ({ picture, name: i18n._(name) }))).toEqual(signs)
})
