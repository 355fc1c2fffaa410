/** The boxes of the floating bars of the desktop home. All are inset by 24 px. */
import type { Camera } from '../../stores/canvas'
import type { DevicesState } from '../../stores/devices'
import { type Insets, toCanvas } from './camera'
import { type Box, middle, type Size, touches } from './geometry'

const INSET = 24
/** With the beam's menu beside it. */
const TITLE = { width: 470, height: 52 }
const PILL = { width: 280, height: 52 }
const NAV = { width: 340, height: 52 }
/** The button of the search, below the navigation. */
const SEARCH = { width: 40, height: 40, below: 64 }
const QR = { width: 100, height: 100 }
/** The large QR code with its heading, centred at about 27 % of the width. */
const LARGE_QR = { width: 380, height: 450, at: 0.27, below: 254 }
/** Between the large code and the notes for which the view made way. */
const CODE_GAP = 50
/** Notes that would become smaller than this part of their size to fit beside the large code keep it, and not all fit. */
const LEAST_PART = 0.5
/** The card that offers to keep the beam, beside the large code and above the toolbar with two toasts. */
const KEEP = { width: 560, height: 72, beside: 214, below: 200 }
/** In its wide form, with the hint above. */
const TOOLBAR = { width: 400, height: 96 }
/** With the zoom buttons above. */
const MINIMAP = { width: 128, height: 136 }

/** 1 where the texts of the page run to the right, and -1 where they run to the left and the bars are mirrored. */
type Forward = 1 | -1

/** Returns the boxes that new notes avoid. The QR code is large while no other device is here. */
export function barsOf(screen: Size, code: 'large' | 'corner', forward: Forward): Box[] {
  return barsToRight(screen, code).map((bar) => laid(bar, screen, forward))
}

function laid(bar: Box, screen: Size, forward: Forward): Box {
  return forward === 1 ? bar : { ...bar, x: screen.width - bar.x - bar.width }
}

function barsToRight({ width, height }: Size, code: 'large' | 'corner'): Box[] {
  const low = (box: Size) => height - INSET - box.height
  return [
    { x: INSET, y: INSET, ...TITLE },
    { x: (width - PILL.width) / 2, y: INSET, ...PILL },
    { x: width - INSET - NAV.width, y: INSET, ...NAV },
    { x: width - INSET - SEARCH.width, y: INSET + SEARCH.below, width: SEARCH.width, height: SEARCH.height },
    ...(code === 'corner'
      ? [{ x: INSET, y: low(QR), ...QR }]
      : [largeCode({ width, height }), keepCard({ width, height })]),
    { x: (width - TOOLBAR.width) / 2, y: low(TOOLBAR), ...TOOLBAR },
    { x: width - INSET - MINIMAP.width, y: low(MINIMAP), ...MINIMAP },
  ]
}

/**
 * Returns the view from which the large code lies over none of these notes; null when it lies over none now. The view
 * moves sideways, and shows them smaller where that brings all of them beside the code. Notes are in canvas coordinates.
 */
export function besideCode(
  camera: Camera,
  screen: Size,
  notes: readonly Box[],
  forward: Forward,
): Camera | null {
  const code = laid(largeCode(screen), screen, forward)
  const covered = onCanvas(camera, code)
  if (!notes.some((note) => touches(note, covered))) return null
  const view = onCanvas(camera, { x: 0, y: 0, ...screen })
  const level = notes.filter((note) => touches({ ...note, x: covered.x }, covered) && touches(note, view))
  const left = Math.min(...level.map(({ x }) => x))
  const right = Math.max(...level.map(({ x, width }) => x + width))
  const edge = forward === 1 ? code.x + code.width + CODE_GAP : code.x - CODE_GAP
  const room = (forward === 1 ? screen.width - edge : edge) - CODE_GAP
  const part = room / ((right - left) * camera.zoom)
  const zoom = camera.zoom * (part < LEAST_PART ? 1 : Math.min(1, part))
  const height = middle(code).y
  return {
    x: (forward === 1 ? left : right) - edge / zoom,
    y: toCanvas(camera, { x: 0, y: height }).y - height / zoom,
    zoom,
  }
}

/** Returns the boxes of the bars in canvas coordinates. */
export function barsOnCanvas(
  camera: Camera,
  screen: Size,
  { devices }: Pick<DevicesState, 'devices'>,
  forward: Forward,
): Box[] {
  return barsOf(screen, devices.length > 1 ? 'corner' : 'large', forward).map((bar) => onCanvas(camera, bar))
}

function onCanvas(camera: Camera, { width, height, ...at }: Box): Box {
  return { ...toCanvas(camera, at), width: width / camera.zoom, height: height / camera.zoom }
}

function largeCode(screen: Size): Box {
  const { width, height, at, below } = LARGE_QR
  return { x: screen.width * at - width / 2, y: Math.max(80, screen.height / 2 - below), width, height }
}

function keepCard(screen: Size): Box {
  const left = screen.width * LARGE_QR.at + KEEP.beside
  const room = screen.width - INSET - left
  const width = Math.min(KEEP.width, room)
  return {
    x: left + (room - width) / 2,
    y: screen.height - KEEP.below - KEEP.height,
    width,
    height: KEEP.height,
  }
}

/** Free space around the notes that a view shows. The buttons above a note count as bars. */
export const VIEW_INSETS: Insets = { top: 128, right: 48, bottom: 144, left: 48 }
