/** The rules for imports in the client, checked on its sources: which folder may import which, and no cycles. */
import { describe, expect, it } from 'vitest'

/**
 * The other features that each feature may import. All may import the files directly in `features/`: the actions, the
 * app's context and the paths. An import that is not declared here fails the test, and so does a declaration without an
 * import.
 */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  about: ['devices', 'session'],
  account: ['session'],
  arrival: [],
  beam: ['canvas', 'contents', 'details', 'devices', 'join', 'scanner', 'session', 'share', 'transfers'],
  beams: ['item', 'session', 'share'],
  certificate: [],
  canvas: ['card', 'item', 'session'],
  card: ['item', 'note', 'search', 'session', 'transfer'],
  contents: ['item', 'transfer'],
  details: ['item', 'transfer'],
  devices: ['arrival', 'files', 'keep', 'session', 'transfer'],
  doctor: [],
  editor: ['note'],
  files: ['session'],
  'full-view': ['card', 'item', 'transfer'],
  home: [
    'about',
    'canvas',
    'devices',
    'files',
    'join',
    'keep',
    'save',
    'search',
    'session',
    'toolbar',
    'transfer',
  ],
  item: ['session'],
  incoming: ['card', 'devices', 'item', 'transfer'],
  join: ['scanner'],
  joiner: [
    'card',
    'devices',
    'files',
    'incoming',
    'join',
    'keep',
    'parcel',
    'save',
    'scanner',
    'session',
    'toolbar',
  ],
  keep: ['session'],
  note: ['item', 'session', 'transfer'],
  parcel: ['session', 'transfer'],
  save: ['session'],
  scanner: [],
  search: ['item'],
  session: ['join'],
  share: ['session'],
  space: ['about', 'card', 'devices', 'files', 'incoming', 'join', 'keep', 'parcel', 'session'],
  toasts: ['item'],
  toolbar: [],
  transfer: ['files', 'item'],
  transfers: ['card', 'item', 'session', 'transfer'],
}

const SOURCES = import.meta.glob<string>('./**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true })
const FILES = new Set(Object.keys(SOURCES))
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the files that each file imports, including types and dynamic imports. */
function graphOf(sources: Readonly<Record<string, string>>): Graph {
  return new Map(
    Object.entries(sources).map(([file, source]) => {
      const imported = [...source.matchAll(IMPORT)].flatMap(([, to = '']) => resolve(file, to) ?? [])
      return [file, new Set(imported)]
    }),
  )
}

function resolve(from: string, to: string): string | undefined {
  const base = new URL(to, `file:///${from.slice(2)}`)
  const path = `.${base.pathname}`
  return [path, `${path}.ts`, `${path}.tsx`].find((candidate) => FILES.has(candidate))
}

/** Returns the first cycle as a path; null when there is none. */
function circleIn(graph: Graph): string[] | null {
  const done = new Set<string>()
  const way: string[] = []
  const visit = (node: string): string[] | null => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node]
    if (done.has(node)) return null
    way.push(node)
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next)
      if (circle) return circle
    }
    way.pop()
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const circle = visit(node)
    if (circle) return circle
  }
  return null
}

/** Returns the feature that a file belongs to; null for files directly in `features/` and for all others. */
function featureOf(file: string): string | null {
  return /^\.\/features\/([^/]+)\//.exec(file)?.[1] ?? null
}

/** Returns the other features that each feature imports, in the form of `FEATURES`. */
function featureImports(files: Graph): Record<string, string[]> {
  const features = new Set([...files.keys()].map(featureOf).filter((feature) => feature !== null))
  const importsOf = (feature: string) =>
    [...files].flatMap(([file, imported]) =>
      featureOf(file) === feature ? [...imported].map(featureOf) : [],
    )
  return Object.fromEntries(
    [...features].map((feature) => {
      const others = importsOf(feature).filter((other) => other !== null && other !== feature)
      return [feature, [...new Set(others)].sort()]
    }),
  ) as Record<string, string[]>
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}

const graph = graphOf(Object.fromEntries(Object.entries(SOURCES).filter(([file]) => !isTest(file))))

describe('the imports of the client', () => {
  it('are all found', () => {
    expect(graph.get('./app/main.tsx')).toContain('./app/services.ts')
    expect(graph.get('./app/app.tsx')).toContain('./app/routes/space-route.tsx')
    expect(graph.size).toBeGreaterThan(200)
  })

  it('are reported when they contain a circle', () => {
    const around = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['b'])],
    ])
    expect(circleIn(around)).toEqual(['b', 'c', 'b'])
  })

  it('never lead from a file back to itself', () => {
    expect(circleIn(graph)).toBeNull()
  })

  it('lead from feature to feature as declared', () => {
    expect(featureImports(graph)).toEqual(FEATURES)
  })

  it('are declared without a circle', () => {
    const declared = new Map(Object.entries(FEATURES).map(([from, to]) => [from, new Set(to)]))
    expect(circleIn(declared)).toBeNull()
  })

  it('never lead from a file directly in features/ into a feature', () => {
    const base = [...graph].filter(([file]) => /^\.\/features\/[^/]+$/.test(file))
    expect(base.length).toBeGreaterThan(0)
    for (const [, imported] of base) {
      expect([...imported].filter((to) => featureOf(to) !== null)).toEqual([])
    }
  })
})
