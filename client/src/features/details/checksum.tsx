import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button'
import { Progress } from '../../ui/progress'
import { useApp } from '../actions'
import { fraction } from '../transfer/file-view'
import css from './checksum.module.css'

type State =
  | { at: 'unasked' }
  | { at: 'hashing'; bytes: number }
  | { at: 'known'; hex: string; isCopied: boolean }
  | { at: 'failed' }

/** The SHA-256 of a file on this device, computed when the person asks for it: a large file takes a while. */
export function Checksum({ url, size }: { url: string; size: number }) {
  const { actions } = useApp()
  const [state, setState] = useState<State>({ at: 'unasked' })
  const ending = useRef<AbortController | null>(null)
  useEffect(() => () => ending.current?.abort(), [])
  const compute = () => {
    const end = new AbortController()
    ending.current = end
    setState({ at: 'hashing', bytes: 0 })
    const onBytes = (bytes: number) => setState({ at: 'hashing', bytes })
    actions.hashFile(url, onBytes, end.signal).then(
      (hex) => setState({ at: 'known', hex, isCopied: false }),
      () => !end.signal.aborted && setState({ at: 'failed' }),
    )
  }
  const stop = () => {
    ending.current?.abort()
    setState({ at: 'unasked' })
  }
  const copy = async (hex: string) => setState({ at: 'known', hex, isCopied: await actions.copyReport(hex) })
  return (
    <section className={css.checksum} aria-label={t`Checksum`}>
      <h3 className={css.heading}>{t`Checksum`}</h3>
      {state.at === 'hashing' && (
        <Progress value={fraction(state.bytes, size)} label={t`Progress of the checksum`} />
      )}
      <div role="status">
        {state.at === 'known' && <p className={css.hex}>{`SHA-256 ${state.hex}`}</p>}
        {state.at === 'failed' && <p className={css.note}>{t`The file could not be read.`}</p>}
      </div>
      {state.at === 'known' && (
        <Button size="sm" icon={Copy} onClick={() => void copy(state.hex)}>
          {state.isCopied ? t`Copied` : t`Copy`}
        </Button>
      )}
      {state.at === 'hashing' && (
        <Button size="sm" onClick={stop}>
          {t`Cancel`}
        </Button>
      )}
      {(state.at === 'unasked' || state.at === 'failed') && (
        <Button size="sm" onClick={compute}>
          {t`Compute SHA-256`}
        </Button>
      )}
    </section>
  )
}
