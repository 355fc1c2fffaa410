import { afterEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { openSignalSocket } from './signal-socket'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('logs an address that cannot be built, and is closed', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.stubGlobal('location', { protocol: 'file:', host: '' })
  const onClose = vi.fn()
  openSignalSocket('beam' as BeamId, { onOpen() {}, onText() {}, onBinary() {}, onClose }).send('hello')
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledWith(1006))
  expect(error).toHaveBeenCalledWith('Failed to get a valid URL')
})
