import { expect, test } from 'vitest'
import { fitted, pictureName, pictureProblem } from './picture'

test('only jpeg, png and webp are taken', () => {
  for (const type of ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']) {
    expect(pictureProblem({ type, size: 1 })).toBeNull()
  }
  for (const type of ['image/gif', 'image/svg+xml', 'text/html', '']) {
    expect(pictureProblem({ type, size: 1 })).toBe('Please select a valid image file (JPEG, PNG, or WebP)')
  }
})

test('5,242,880 bytes are taken and one more is not', () => {
  expect(pictureProblem({ type: 'image/png', size: 5_242_880 })).toBeNull()
  expect(pictureProblem({ type: 'image/png', size: 5_242_881 })).toBe('Image size must be less than 5MB')
})

test('the longer side becomes 400 px and a small picture stays as it is', () => {
  expect(fitted(4000, 3000)).toEqual({ width: 400, height: 300 })
  expect(fitted(300, 1200)).toEqual({ width: 100, height: 400 })
  expect(fitted(400, 400)).toEqual({ width: 400, height: 400 })
  expect(fitted(32, 16)).toEqual({ width: 32, height: 16 })
  expect(fitted(40_000, 1)).toEqual({ width: 400, height: 1 })
})

test('a name without an extension gets .jpg', () => {
  expect(pictureName('me')).toBe('me.jpg')
  expect(pictureName('me.png')).toBe('me.png')
})
