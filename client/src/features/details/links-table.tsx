import { t } from '@lingui/core/macro'
import type { LinkRow } from '../../protocol/link-report'
import { formatBytes, formatSpeed } from '../transfer/format-bytes'
import { kindLabel } from './link-label'
import css from './links-table.module.css'

/** Each connection to a device: its kind, and what it carries. */
export function LinksTable({ rows, label }: { rows: readonly LinkRow[]; label: string }) {
  const hasOverhead = rows.some(({ overhead }) => overhead !== null)
  return (
    <>
      <div className={css.frame}>
        <table className={css.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{t`Kind`}</th>
              <th scope="col">{t`Speed`}</th>
              <th scope="col">{t`Round trip`}</th>
              <th scope="col">{t`Data`}</th>
              {hasOverhead && <th scope="col">{t`Overhead`}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <span>{kindLabel(row)}</span> {row.protocol && <small>{row.protocol.toUpperCase()}</small>}
                </th>
                <td>{row.rate === null && row.bytes !== null ? '–' : told(row, row.rate, formatSpeed)}</td>
                <td>{told(row, row.roundTrip, formatRoundTrip)}</td>
                <td>{told(row, row.bytes, formatBytes)}</td>
                {hasOverhead && <td>{told(row, row.overhead, formatPart)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.some(({ kind }) => kind !== 'server') && (
        <p className={css.note}>{t`This browser does not tell how many packets were lost.`}</p>
      )}
      {hasOverhead && (
        <p className={css.note}>{t`Overhead is what packet headers and repeats add to what is received.`}</p>
      )}
    </>
  )
}

/** Of the way through the server there is nothing to tell where the browser tells it of others. */
function told({ kind }: LinkRow, value: number | null, format: (value: number) => string): string {
  if (value !== null) return format(value)
  return kind === 'server' ? '–' : t`not told`
}

function formatRoundTrip(milliseconds: number): string {
  const time = Math.max(1, Math.round(milliseconds))
  return t`${time} ms`
}

function formatPart(part: number): string {
  const percent = Math.round(part * 100)
  return t`${percent} %`
}
