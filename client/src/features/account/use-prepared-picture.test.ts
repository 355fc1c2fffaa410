// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePreparedPicture } from './use-prepared-picture'

const file = (name: string) => new File([name], name)

/** Ends the preparation of the file with this name. */
let ends: Map<string, (prepared: File | null) => void>
const prepare = ({ name }: File) => new Promise<File | null>((resolve) => void ends.set(name, resolve))
const rendered = () => renderHook(() => usePreparedPicture(prepare)).result

beforeEach(() => {
  ends = new Map()
})
afterEach(cleanup)

describe('the picture of a form', () => {
  it('is ready once it is prepared, also where the form is sent before', async () => {
    const form = rendered()
    act(() => void form.current.choose(file('a')))
    const sent = form.current.ready()
    await act(async () => ends.get('a')?.(file('small a')))
    expect((await sent)?.name).toBe('small a')
    expect(form.current.picture?.name).toBe('small a')
  })

  it('is the one that was chosen last, whichever is prepared first', async () => {
    const form = rendered()
    act(() => void form.current.choose(file('a')))
    act(() => void form.current.choose(file('b')))
    await act(async () => ends.get('b')?.(file('small b')))
    await act(async () => ends.get('a')?.(file('small a')))
    expect((await form.current.ready())?.name).toBe('small b')
    expect(form.current.picture?.name).toBe('small b')
  })

  it('stays where the next one cannot be prepared', async () => {
    const form = rendered()
    act(() => void form.current.choose(file('a')))
    act(() => void form.current.choose(file('broken')))
    await act(async () => ends.get('broken')?.(null))
    await act(async () => ends.get('a')?.(file('small a')))
    expect(form.current.picture?.name).toBe('small a')
  })

  it('is none once it was removed', async () => {
    const form = rendered()
    act(() => void form.current.choose(file('a')))
    await act(() => form.current.choose(null))
    await act(async () => ends.get('a')?.(file('small a')))
    expect(await form.current.ready()).toBeNull()
    expect(form.current.picture).toBeNull()
  })
})
