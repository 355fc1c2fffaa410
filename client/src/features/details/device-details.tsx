import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { DeviceId } from '../../protocol/bindings'
import { averageSpeed, topSpeed } from '../../stores/flow'
import { bytesTwice, type CardFlow } from '../../stores/flows'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import { formatBytes, formatSpeed } from '../transfer/format-bytes'
import { detailOf } from '../transfer/path-label'
import { bugReport } from './bug-report'
import css from './device-details.module.css'
import { LinksTable } from './links-table'
import { SpeedPlot } from './speed-plot'
import { useLinks } from './use-links'

interface DeviceDetailsProps {
  readonly device: DeviceId
  readonly heading: string
  readonly card: CardFlow
  readonly isSending: boolean
}

/** What went between this device and another one for a card, and the connections between the two. */
export function DeviceDetails({ device, heading, card, isSending }: DeviceDetailsProps) {
  const links = useLinks(device)
  return (
    <section className={css.device} aria-label={heading}>
      <h3 className={css.heading} dir="auto">
        {heading}
      </h3>
      <SpeedPlot flow={card.flow} />
      <Facts card={card} />
      <h4 className={css.title}>{t`Connections now`}</h4>
      {links?.length === 0 && <p className={css.none}>{t`There is no connection to this device now.`}</p>}
      {links !== null && links.length > 0 && <LinksTable rows={links} label={t`Connections now`} />}
      <CopyButton text={(facts) => bugReport(card, links ?? [], { isSending, ...facts })} />
    </section>
  )
}

function Facts({ card }: { card: CardFlow }) {
  const [average, top] = [averageSpeed(card.flow), topSpeed(card.flow)]
  const facts: readonly (readonly [string, string])[] = [
    [t`Average`, average === null ? '–' : formatSpeed(average)],
    [t`Top speed`, top === null ? '–' : formatSpeed(top)],
    [t`Sent twice`, formatBytes(bytesTwice(card))],
    [t`Way`, card.way ? detailOf(card.way) : '–'],
  ]
  return (
    <dl className={css.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function CopyButton({ text }: { text: (facts: { version: string; browser: string }) => string }) {
  const { stores, actions } = useApp()
  const version = useStore(stores.site, ({ site }) => site?.version ?? '')
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () =>
    setIsCopied(await actions.copyReport(text({ version, browser: navigator.userAgent })))
  return (
    <div className={css.foot}>
      <Button icon={Copy} onClick={() => void copy()}>
        {isCopied ? t`Copied` : t`Copy for a bug report`}
      </Button>
    </div>
  )
}
