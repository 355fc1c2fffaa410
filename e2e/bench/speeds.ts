/** Speeds of the product beside those of a reference. */
import { MB } from '../support/files.ts'
import { median, type Row } from './table.ts'

/** A figure: the medians of both, in bytes a second, and their ratio. */
export function speeds(
  figure: string,
  ours: readonly number[],
  theirs: readonly number[],
  atLeast: number,
): Row {
  return {
    figure,
    product: speed(median(ours)),
    reference: speed(median(theirs)),
    value: median(ours) / median(theirs),
    target: { atLeast },
  }
}

/** Prints the speeds of one run, which show how much the machine itself varies. */
export function printSpeeds(name: string, ours = 0, theirs = 0): void {
  process.stderr.write(`${name}: ${speed(ours)}, reference ${speed(theirs)}\n`)
}

export function speed(bytesPerSecond: number): string {
  return `${(bytesPerSecond / MB).toFixed(1)} MB/s`
}
