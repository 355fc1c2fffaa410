/** Prints the figures: for each the product's value, the reference's, and the promised limit. */

export interface Row {
  figure: string
  product: string
  reference: string
  /** The value that the promise is about: a ratio, or an absolute figure when there is no reference. */
  value: number
  target: { atLeast: number } | { atMost: number }
  /** Further lines below the figure. */
  notes?: readonly string[]
}

export function printHeading(): void {
  printLine('figure', 'product', 'reference', 'value', 'target', '')
}

export function printRow({ figure, product, reference, value, target, notes = [] }: Row): void {
  const [sign, bound] = 'atLeast' in target ? ['>=', target.atLeast] : ['<=', target.atMost]
  const kept = sign === '>=' ? value >= bound : value <= bound
  printLine(figure, product, reference, value.toFixed(2), `${sign} ${bound}`, kept ? 'kept' : 'MISSED')
  for (const note of notes) process.stdout.write(`    ${note}\n`)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** As wide as the table of the server's figures (`table.rs`). */
function printLine(
  figure: string,
  product: string,
  reference: string,
  value: string,
  target: string,
  verdict: string,
): void {
  const cells = [figure.padEnd(46), product.padStart(16), reference.padStart(16), value.padStart(8)]
  process.stdout.write(`${cells.join(' ')} ${target.padStart(9)}  ${verdict}\n`)
}
