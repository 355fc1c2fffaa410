import { describe, expect, it } from 'vitest'
import { clockOutcome, type Finding, reportOf, worst } from './findings'

describe('the findings of the doctor', () => {
  it('are a text for a bug report', () => {
    const findings: Finding[] = [
      { trial: 'websocket', outcome: 'ok' },
      { trial: 'storage', outcome: 'failed', detail: 'SecurityError' },
    ]
    expect(reportOf(findings, { host: 'beam.example.org', version: '1.0.0', browser: 'Browser 1' })).toBe(
      'Heliograph 1.0.0 at beam.example.org\nBrowser 1\nok       websocket\nfailed   storage (SecurityError)',
    )
    expect(worst(findings)).toBe('failed')
    expect(worst([])).toBe('ok')
  })

  it('say when the clocks differ by more than a minute', () => {
    expect(clockOutcome(1_000_000, 1_000_000, 1_030_000)).toBe('ok')
    expect(clockOutcome(939_999, 1_000_000, 1_000_000)).toBe('failed')
    expect(clockOutcome(1_090_001, 1_000_000, 1_030_000)).toBe('failed')
  })
})
