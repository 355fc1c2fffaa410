/** What a person can do with saved beams. What went wrong is said in a toast, except where a field can say it. */
import type { Beam, BeamId, BeamShare, Level, LinkAccess, SharedBeam } from '../protocol/bindings'

/** Done, or what the field is to say; null when a toast has said it. */
export type FieldOutcome = { ok: true } | { ok: false; fieldError: string | null }

export interface BeamActions {
  /** Reads the three lists. */
  load(): Promise<void>
  copyId(id: BeamId): Promise<void>
  copyLinkOf(id: BeamId): Promise<void>
  rename(beam: Beam, name: string): Promise<FieldOutcome>
  remove(beam: Beam): Promise<void>
  /** Gives back a share that one has. */
  leave(share: SharedBeam): Promise<void>

  /** Opens the Share dialog and reads who has the beam. */
  openSharing(beam: Beam): Promise<void>
  closeSharing(): void
  share(beam: Beam, username: string, level: Level): Promise<FieldOutcome>
  changeLevel(share: BeamShare, level: Level): Promise<void>
  unshare(share: BeamShare): Promise<void>
  setLinkAccess(beam: Beam, access: LinkAccess): Promise<void>
  /** Gives the beam a new id; the old links lead nowhere. */
  renewLink(beam: Beam): Promise<void>
}
