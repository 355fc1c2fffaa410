/** The actions on saved beams. Errors are shown as toasts, except where a field shows them. */
import type { Beam, BeamId, BeamShare, Level, LinkAccess, SharedBeam } from '../protocol/bindings'

/** Success, or the error for the field; `fieldError` is null when a toast showed it. */
export type FieldOutcome = { ok: true } | { ok: false; fieldError: string | null }

export interface BeamActions {
  /** Reads the three lists. */
  load(): Promise<void>
  copyId(id: BeamId): Promise<void>
  copyLinkOf(id: BeamId): Promise<void>
  rename(beam: Beam, name: string): Promise<FieldOutcome>
  remove(beam: Beam): Promise<void>
  /** Leaves a beam that is shared with the caller. */
  leave(share: SharedBeam): Promise<void>

  /** Opens the Share dialog and reads the beam's shares. */
  openSharing(beam: Beam): Promise<void>
  closeSharing(): void
  share(beam: Beam, username: string, level: Level): Promise<FieldOutcome>
  changeLevel(share: BeamShare, level: Level): Promise<void>
  /** Removes a share. Resolves to whether it is removed, once the beam has new keys where that is possible now. */
  unshare(share: BeamShare): Promise<boolean>
  setLinkAccess(beam: Beam, access: LinkAccess): Promise<void>
  /** Gives the beam a new id, so that its old links end. */
  renewLink(beam: Beam): Promise<void>
}
