import { expect, it } from 'vitest'
import { type SaveFolder, saveInto } from './save-folder'

/** A folder that refuses the names which Chromium refuses, and has a folder `old`. */
function fakeFolder({ isDenied = false, isFull = false } = {}) {
  const files = new Map<string, string>()
  const folder = {
    async getFileHandle(name: string, { create = false } = {}) {
      if (isDenied) throw new DOMException('', 'NotAllowedError')
      if (/[:"*?<>|\\/]|[. ]$/.test(name)) throw new TypeError('Name is not allowed.')
      if (name === 'old') throw new DOMException('', 'TypeMismatchError')
      if (!create && !files.has(name)) throw new DOMException('', 'NotFoundError')
      if (create) files.set(name, files.get(name) ?? '')
      const write = (bytes: Uint8Array) => {
        if (isFull) throw new DOMException('', 'QuotaExceededError')
        files.set(name, new TextDecoder().decode(bytes))
      }
      return { createWritable: async () => new WritableStream({ write }) }
    },
    async removeEntry(name: string) {
      files.delete(name)
    },
  }
  const saves = async (name: string) => {
    const bytes = new Response('bytes').body
    if (bytes) await saveInto(folder as unknown as SaveFolder, name, bytes)
  }
  return { saves, names: () => [...files.keys()] }
}

it.each([
  ['a.txt', 'a.txt'],
  ['talk 10:30?.txt', 'talk 10_30_.txt'],
  ['dots...', 'dots_'],
  ['old', 'old (2)'],
])('%s is saved as %s', async (name, saved) => {
  const { saves, names } = fakeFolder()
  await saves(name)
  expect(names()).toEqual([saved])
})

it('fails when the folder may no longer be used', async () => {
  const { saves } = fakeFolder({ isDenied: true })
  await expect(saves('a.txt')).rejects.toMatchObject({ name: 'NotAllowedError' })
})

it('leaves no empty file behind when the bytes cannot be written, and what is there stays', async () => {
  const { saves, names } = fakeFolder({ isFull: true })
  await expect(saves('a.txt')).rejects.toMatchObject({ name: 'QuotaExceededError' })
  expect(names()).toEqual([])
})
