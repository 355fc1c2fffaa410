// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Beam, BeamDetails, BeamId, BeamShare, LinkAccess, Role, ShareId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import type { FieldOutcome } from '../beam-actions'
import { ShareDialog } from './share-dialog'

const beam: Beam = {
  beam_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' as BeamId,
  beam_name: 'Cabin',
  created_at: 0,
  link_access: 'write',
}
const jonas: BeamShare = { id: 's' as ShareId, beam, shared_with: 'jonas', share_type: 'write' }
const owner = { username: 'mira', first_name: 'Mira', last_name: 'Solberg', profile_picture: null }

const share = vi.fn(async (): Promise<FieldOutcome> => ({ ok: true }))
const changeLevel = vi.fn(async () => {})
const unshare = vi.fn(async () => true)
const setLinkAccess = vi.fn(async () => {})
const renewLink = vi.fn(async () => {})

beforeEach(() => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
})
afterEach(cleanup)

function show(shares: BeamShare[], role: Role = 'owner') {
  const details: BeamDetails = { beam, role, owner, shares }
  const beams = { share, changeLevel, unshare, setLinkAccess, renewLink, closeSharing: vi.fn() }
  render(
    <AppContext value={{ stores: createStores(), actions: { beams } as unknown as Actions }}>
      <ShareDialog sharing={{ status: 'ready', beam, details }} />
    </AppContext>,
  )
}

const username = () => screen.getByRole('textbox', { name: 'Username' })
const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Share' }))

describe('the Share dialog', () => {
  it('requires a username', () => {
    show([])
    fireEvent.change(username(), { target: { value: '  ' } })
    submit()
    expect(screen.getByText('Please enter a username')).toBeDefined()
    expect(share).not.toHaveBeenCalled()
  })

  it('shares to read unless another level is chosen, and is ready for the next person', async () => {
    show([])
    fireEvent.change(username(), { target: { value: ' @ada ' } })
    submit()
    expect(share).toHaveBeenLastCalledWith(beam, 'ada', 'read')
    await waitFor(() => expect(username()).toHaveProperty('value', ''))
    fireEvent.change(username(), { target: { value: 'bob' } })
    fireEvent.change(screen.getByRole('combobox', { name: 'Permission' }), { target: { value: 'admin' } })
    submit()
    expect(share).toHaveBeenLastCalledWith(beam, 'bob', 'admin')
  })

  it("shows the server's error at the field", async () => {
    share.mockResolvedValueOnce({ ok: false, fieldError: 'Nobody has this username' })
    show([])
    fireEvent.change(username(), { target: { value: 'zoe' } })
    submit()
    expect(await screen.findByText('Nobody has this username')).toBeDefined()
    expect(username().getAttribute('aria-invalid')).toBe('true')
    expect(username()).toHaveProperty('value', 'zoe')
  })

  it('shows people by name where the server sends it, else by username', () => {
    const user = { username: 'ada', first_name: 'Ada', last_name: 'King', profile_picture: '/api/pictures/a' }
    const named = { ...jonas, id: 'n' as ShareId, shared_with: 'ada', shared_with_user: user }
    show([jonas, named])
    const rows = screen.getAllByRole('listitem').map((row) => row.textContent)
    expect(rows[0]).toContain('Mira Solberg@mira · you')
    expect(rows[1]).toContain('@jonas')
    expect(rows[2]).toContain('Ada King@ada')
    expect(document.querySelector('img')?.getAttribute('src')).toBe('/api/pictures/a')
  })

  it('changes a level', () => {
    show([jonas])
    fireEvent.change(screen.getByRole('combobox', { name: 'Permission of jonas' }), {
      target: { value: 'admin' },
    })
    expect(changeLevel).toHaveBeenCalledWith(jonas, 'admin')
  })

  it('asks before it takes a share back', () => {
    show([jonas])
    fireEvent.click(screen.getByRole('button', { name: 'Remove access for jonas' }))
    expect(screen.getByText('Are you sure you want to remove access for jonas?')).toBeDefined()
    expect(screen.getByText('This action cannot be undone')).toBeDefined()
    expect(unshare).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('button', { name: 'Remove Share' }))
    expect(unshare).toHaveBeenCalledWith(jonas)
  })

  describe('when a share is removed', () => {
    const asks = (link_access: LinkAccess) => {
      show([{ ...jonas, beam: { ...beam, link_access } }])
      fireEvent.click(screen.getByRole('button', { name: 'Remove access for jonas' }))
    }
    const removes = () => fireEvent.click(screen.getByRole('button', { name: 'Remove Share' }))
    const link = () => screen.queryByRole('combobox', { name: 'The link' })
    const choose = (fate: string) => fireEvent.change(link() as Element, { target: { value: fate } })

    it.each([
      ['write', /can still read and write here, so this does not stop jonas/],
      ['read', /can still read here, so this does not stop jonas/],
    ] as const)('says that a link with %s still lets the person in', (access, words) => {
      asks(access)
      expect(screen.getByText(words)).toBeDefined()
    })

    it('says nothing of a link that is closed', () => {
      asks('none')
      expect(link()).toBeNull()
    })

    it('leaves the link as it is unless the person chooses otherwise', async () => {
      asks('write')
      removes()
      await unshare.mock.results[0]?.value
      expect([renewLink.mock.calls, setLinkAccess.mock.calls]).toEqual([[], []])
    })

    it('renews the link once the share is gone, so that the person is not told the new one', async () => {
      let removed = (_is: boolean) => {}
      unshare.mockReturnValueOnce(new Promise((resolve) => (removed = resolve)))
      asks('write')
      choose('renewed')
      removes()
      expect(renewLink).not.toHaveBeenCalled()
      removed(true)
      await waitFor(() => expect(renewLink).toHaveBeenCalledWith(beam))
    })

    it('closes the link, but not when the share could not be removed', async () => {
      unshare.mockResolvedValueOnce(false)
      asks('read')
      choose('closed')
      removes()
      await unshare.mock.results[0]?.value
      expect(setLinkAccess).not.toHaveBeenCalled()
      fireEvent.click(screen.getByRole('button', { name: 'Remove access for jonas' }))
      choose('closed')
      removes()
      await waitFor(() =>
        expect(setLinkAccess).toHaveBeenCalledWith({ ...beam, link_access: 'read' }, 'none'),
      )
    })
  })

  it('b5_offers_to_set_the_link_to_read_when_it_defeats_a_read_share', () => {
    show([{ ...jonas, share_type: 'read' }])
    fireEvent.click(screen.getByRole('button', { name: 'Set link to Read Only' }))
    expect(setLinkAccess).toHaveBeenCalledWith(beam, 'read')
  })

  it('b6_lets_an_admin_make_and_change_no_admins', () => {
    show([{ ...jonas, share_type: 'admin' }], 'admin')
    expect(screen.queryByRole('combobox', { name: 'Permission of jonas' })).toBeNull()
    expect(screen.queryByRole('option', { name: 'Admin' })).toBeNull()
  })
})
