/** Says which files a saved or kept beam has no room for, before they are uploaded (F13). */
import { t } from '@lingui/core/macro'
import { sealedSize } from '../crypto/file-chunks'
import { formatBytes } from '../features/transfer/format-bytes'
import type { BeamId, FileRoom, ItemId } from '../protocol/bindings'
import { readFileRoom } from '../transport/note-calls'
import { uploadKey, uploadPlaces } from '../transport/upload-places'
import { shortName } from '../ui/short-name'
import type { Context } from './context'
import type { OutgoingFile } from './stored-copies'

/** Without an answer within so many milliseconds the files are uploaded, and the upload shows what fits. */
const ANSWER_WITHIN_MS = 3_000

const NONE: ReadonlySet<ItemId> = new Set()

/** Returns the files that will stay on this device alone, and says so. Only for a saved or kept beam. */
export async function sayWhatStaysHere(
  { stores, toaster }: Context,
  files: readonly OutgoingFile[],
): Promise<ReadonlySet<ItemId>> {
  const session = stores.session.getState()
  if (session.status !== 'set') return NONE
  const asUser = stores.account.getState().status === 'authenticated'
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), ANSWER_WITHIN_MS))
  const asked = readFileRoom(session.session.beamId, asUser ? 'user' : 'guest').catch(() => null)
  const room = await Promise.race([asked, late])
  if (room === null) return NONE
  const staying = withoutRoom(await withoutPlace(session.session.beamId, files), room)
  if (staying.length > 0) toaster.bad(textFor(staying, files.length, room))
  return new Set(staying.map(({ id }) => id))
}

/** Returns the files whose upload is to begin. Of one that goes on, as after a reload, the room is reserved already (H45). */
async function withoutPlace(beam: BeamId, files: readonly OutgoingFile[]): Promise<readonly OutgoingFile[]> {
  const goOn = await Promise.all(files.map(({ id, seal }) => uploadPlaces.has(uploadKey(beam, id, seal))))
  return files.filter((_, at) => !goOn[at])
}

/** Returns the files without room, when the others are stored in their order. */
export function withoutRoom(
  files: readonly OutgoingFile[],
  { largest, free }: FileRoom,
): readonly OutgoingFile[] {
  let left = free
  return files.filter(({ file, seal }) => {
    const size = seal ? sealedSize(file.size) : file.size
    const fits = size <= Math.min(largest, left)
    if (fits) left -= size
    return !fits
  })
}

function textFor(staying: readonly OutgoingFile[], count: number, { largest, free }: FileRoom): string {
  const [first, ...others] = staying
  const fits = formatBytes(Math.min(largest, free))
  if (first && others.length === 0) {
    const name = shortName(first.name)
    const size = formatBytes(first.file.size)
    return largest < free
      ? t`“${name}” (${size}) stays on this device only: this beam stores files up to ${fits}.`
      : t`“${name}” (${size}) stays on this device only: this beam has ${fits} left.`
  }
  const some = staying.length
  return largest < free
    ? t`${some} of ${count} files stay on this device only: this beam stores files up to ${fits}.`
    : t`${some} of ${count} files stay on this device only: this beam has ${fits} left.`
}
