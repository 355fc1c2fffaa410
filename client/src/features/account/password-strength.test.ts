import { expect, test } from 'vitest'
import { strengthOf } from './password-strength'

test('the passwords that are tried first are called common in any case', () => {
  for (const password of ['123456', 'PassWord', 'aaaaaaaaaa', 'hunter2']) {
    expect(strengthOf(password), password).toBe('common')
  }
})

test('a longer password and more kinds of characters are stronger', () => {
  expect(strengthOf('')).toBe('none')
  expect(strengthOf('kqzxvw')).toBe('weak')
  expect(strengthOf('kqzxvwpt7')).toBe('fair')
  expect(strengthOf('Kqzxvwpt7b')).toBe('good')
  expect(strengthOf('correct horse battery staple')).toBe('strong')
})
