/** Stores the canvases of the last beams in this browser: the places of their notes, and the view. */
import * as v from 'valibot'
import type { BeamId, ItemId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { type CanvasState, HOME_CAMERA, reduceCanvas } from '../stores/canvas'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'

const KEY = 'canvas'
/** Most places stored, over all beams. Each takes about 60 bytes, so they stay far below the quota of local storage. */
export const MOST_PLACES = 5000
const MOST_BEAMS = 20
const SAVE_AFTER_MS = 300

const number = v.pipe(v.number(), v.finite())
const beamSchema = v.object({
  beam: v.string(),
  camera: v.tuple([number, number, v.pipe(number, v.minValue(0.01), v.maxValue(10))]),
  /** Id, x and y of each note, from back to front. */
  places: v.array(v.tuple([v.string(), number, number])),
})
const storedSchema = v.array(beamSchema)

export type StoredBeam = v.InferOutput<typeof beamSchema>

/** Parses the stored canvases, the newest beam first. Returns none for a text that cannot be read. */
export function parseStored(text: string | null): readonly StoredBeam[] {
  const parsed = v.safeParse(storedSchema, parseJson(text ?? ''))
  return parsed.success ? parsed.output : []
}

/** Adds a beam's canvas. The oldest beams are dropped when there are too many, or too many notes in all. */
export function withBeam(
  stored: readonly StoredBeam[],
  { beam, places, camera }: Pick<CanvasState, 'places' | 'camera'> & { beam: BeamId },
): readonly StoredBeam[] {
  const fromBack = [...places].sort(([, a], [, b]) => a.z - b.z)
  const mine: StoredBeam = {
    beam,
    camera: [camera.x, camera.y, camera.zoom],
    places: fromBack.slice(-MOST_PLACES).map(([id, { x, y }]) => [id, x, y]),
  }
  let room = MOST_PLACES
  return [mine, ...stored.filter((other) => other.beam !== beam)].slice(0, MOST_BEAMS).filter((one) => {
    room -= one.places.length
    return room >= 0
  })
}

/** Returns a beam's stored places; none for a beam that is not stored. */
export function placesIn(
  stored: readonly StoredBeam[],
  beam: BeamId | null,
): Pick<CanvasState, 'places' | 'camera'> {
  const found = stored.find((one) => one.beam === beam)
  if (!found) return { places: new Map(), camera: HOME_CAMERA }
  const [x, y, zoom] = found.camera
  return {
    places: new Map(found.places.map(([id, left, top], z) => [id as ItemId, { x: left, y: top, z: z + 1 }])),
    camera: { x, y, zoom },
  }
}

/** Opens the canvas of each beam that the page enters, and stores its changes. */
export function keepCanvas({ session, canvas }: Stores): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLeaving = false
  const save = () => {
    clearTimeout(timer)
    timer = undefined
    const { beam, places, camera } = canvas.getState()
    if (beam !== null && places.size > 0) write(withBeam(parseStored(read()), { beam, places, camera }))
  }
  const open = () => {
    const state = session.getState()
    const beam = state.status === 'set' ? state.session.beamId : null
    if (beam === canvas.getState().beam) return
    if (timer !== undefined) save()
    const remembered = placesIn(parseStored(read()), beam)
    canvas.setState((old) => reduceCanvas(old, { type: 'opened', beam, ...remembered }), true)
  }
  open()
  session.subscribe(open)
  canvas.subscribe((now, before) => {
    const isSame = now.places === before.places && now.camera === before.camera
    const isOpened = now.beam !== before.beam && !isSame
    if (isOpened || (isSame && now.beam === before.beam)) return
    if (isLeaving) save()
    else timer ??= setTimeout(save, SAVE_AFTER_MS)
  })
  // The listeners of a window run in the order in which they were added, and the canvas tells its view after this one.
  addEventListener('pagehide', () => {
    isLeaving = true
    if (timer !== undefined) save()
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
}

/** Forgets the canvas of a beam that this page is not in. */
export function forgetCanvas(beam: BeamId): void {
  const stored = parseStored(read())
  const others = stored.filter((one) => one.beam !== beam)
  if (others.length < stored.length) write(others)
}

function read(): string | null {
  return browserStorage.getItem(KEY)
}

function write(stored: readonly StoredBeam[]): void {
  browserStorage.setItem(KEY, JSON.stringify(stored))
}
