import { expect, test } from 'vitest'
import { loginProblems, profileProblems, registerProblems } from './validation'

const good = {
  first_name: 'Ada',
  last_name: 'Byron',
  username: 'ada',
  email: 'ada@example.org',
  password: 'secret',
  confirm_password: 'secret',
}

test('login asks for both, and for six characters', () => {
  expect(loginProblems({ username: ' ', password: '' })).toEqual({
    username: 'Username is required',
    password: 'Password is required',
  })
  expect(loginProblems({ username: 'ada', password: '12345' })).toEqual({
    password: 'Password must be at least 6 characters',
  })
  expect(loginProblems({ username: 'ada', password: '123456' })).toEqual({})
})

test('register returns the error of every field', () => {
  expect(registerProblems(good)).toEqual({})
  expect(registerProblems({ confirm_password: '' })).toEqual({
    first_name: 'First name is required',
    last_name: 'Last name is required',
    username: 'Username is required',
    email: 'Email is required',
    password: 'Password is required',
    confirm_password: 'Passwords do not match',
  })
  expect(registerProblems({ ...good, password: 'short', confirm_password: 'other' })).toEqual({
    password: 'Password must be at least 6 characters',
    confirm_password: 'Passwords do not match',
  })
})

test('a profile keeps its names', () => {
  expect(profileProblems({ ...good, last_name: '' })).toEqual({ last_name: 'Last name is required' })
})
