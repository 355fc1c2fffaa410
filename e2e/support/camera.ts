/** Films for Chromium's fake camera, in the YUV4MPEG2 format that it reads. */
import { writeFile } from 'node:fs/promises'
import { PNG } from 'pngjs'

const WIDTH = 640
const HEIGHT = 480
/** Colour around the picture, neither black nor white. */
const DESK = { y: 110, u: 128, v: 128 }
const FRAMES_A_SECOND = 4
/** Side of the blocks of pixels that share one colour value (4:2:0). */
const SHARED = 2
const RGBA = 4

/** Returns the flags that make a browser see this film and grant the camera to pages. */
export function seesFilm(path: string): string[] {
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${path}`,
  ]
}

/** A PNG shown for some seconds. */
export interface Shot {
  readonly png: Buffer
  readonly seconds: number
}

/** Writes a film of these shots. The camera repeats it. */
export async function film(path: string, shots: readonly Shot[]): Promise<void> {
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_A_SECOND}:1 Ip A1:1 C420jpeg\n`
  const frames = shots.flatMap(({ png, seconds }) => {
    const frame = Buffer.concat([Buffer.from('FRAME\n', 'latin1'), frameWith(PNG.sync.read(png))])
    return Array.from({ length: seconds * FRAMES_A_SECOND }, () => frame)
  })
  await writeFile(path, Buffer.concat([Buffer.from(head, 'latin1'), ...frames]))
}

/** Returns one frame: the brightness of every pixel, then the two colour planes at a quarter of the size. */
function frameWith(picture: PNG): Buffer {
  const luma = Buffer.alloc(WIDTH * HEIGHT, DESK.y)
  const blue = Buffer.alloc((WIDTH * HEIGHT) / SHARED ** 2, DESK.u)
  const red = Buffer.alloc((WIDTH * HEIGHT) / SHARED ** 2, DESK.v)
  const left = (WIDTH - picture.width) >> 1
  const top = (HEIGHT - picture.height) >> 1
  for (let row = 0; row < picture.height; row += 1) {
    for (let column = 0; column < picture.width; column += 1) {
      const at = RGBA * (row * picture.width + column)
      const [r = 0, g = 0, b = 0] = picture.data.subarray(at, at + 3)
      const [x, y] = [left + column, top + row]
      if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT) continue
      const quarter = (y >> 1) * (WIDTH / SHARED) + (x >> 1)
      // ITU-R BT.601 with the factors of JFIF.
      luma[y * WIDTH + x] = clamp(0.299 * r + 0.587 * g + 0.114 * b)
      blue[quarter] = clamp(128 - 0.168736 * r - 0.331264 * g + 0.5 * b)
      red[quarter] = clamp(128 + 0.5 * r - 0.418688 * g - 0.081312 * b)
    }
  }
  return Buffer.concat([luma, blue, red])
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)))
}
