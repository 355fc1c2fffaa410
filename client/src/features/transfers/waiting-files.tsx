import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import File from 'lucide-react/icons/file'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { BeamId, ItemId } from '../../protocol/bindings'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Progress } from '../../ui/progress'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { gradientOf } from '../item/appearance'
import { isNamed, shortId } from '../session/beam-text'
import { FileName } from '../transfer/file-name'
import { fraction } from '../transfer/file-view'
import { formatBytes, formatPart } from '../transfer/format-bytes'
import css from './transfers-dialog.module.css'

const WHEN = { month: 'short', day: 'numeric' } as const

/** The files of other beams whose rest is to come. One goes on when its beam is opened and its sender is there. */
export function WaitingFiles({
  files,
  onEnter,
}: {
  files: readonly UnfinishedFile[]
  onEnter: (beam: BeamId) => void
}) {
  const { actions } = useApp()
  const [asked, setAsked] = useState<ItemId | null>(null)
  const size = formatBytes(files.reduce((sum, { bytes }) => sum + bytes, 0))
  return (
    <section className={css.section} aria-label={t`In other beams`}>
      <h3 className={css.heading}>{t`In other beams`}</h3>
      <p className={css.note}>
        {t`They take ${size} on this device. They are removed after 7 days without use.`}
      </p>
      <ul className={css.files}>
        {files.map((file) => (
          <li key={file.id} className={css.file}>
            {asked === file.id ? (
              <Question
                file={file}
                onRemove={() => actions.discardUnfinished(file.id)}
                onKeep={() => setAsked(null)}
              />
            ) : (
              <Row file={file} onEnter={onEnter} onRemove={() => setAsked(file.id)} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({
  file,
  onEnter,
  onRemove,
}: {
  file: UnfinishedFile
  onEnter: (beam: BeamId) => void
  onRemove: () => void
}) {
  const { name, beam, size, bytes, usedAt, isElsewhere } = file
  const known = useStore(useApp().stores.recentBeams, ({ beams }) => beams.find((one) => one.beamId === beam))
  const beamName = known && isNamed(known.beamName) ? known.beamName : shortId(beam)
  return (
    <>
      <Tile icon={File} gradient={gradientOf(file.id)} />
      <div className={css.words}>
        <div className={css.name}>
          <FileName name={name} />
        </div>
        <Progress value={fraction(bytes, size)} label={t`Progress of ${name}`} look="dim" />
        <div className={css.meta}>
          {[formatPart(bytes, size), beamName, i18n.date(new Date(usedAt), WHEN)].join(' · ')}
        </div>
        {isElsewhere && <div className={css.meta}>{t`Another tab receives it.`}</div>}
      </div>
      {!isElsewhere && (
        <div className={css.actions}>
          {known && (
            <Button
              look="soft"
              size="sm"
              aria-label={openLabel(beamName, name)}
              onClick={() => onEnter(beam)}
            >
              {t`Open Beam`}
            </Button>
          )}
          <IconButton icon={Trash2} label={removeLabel(name)} look="bar" iconSize={18} onClick={onRemove} />
        </div>
      )}
    </>
  )
}

/** Asks once more: what is removed must be received again from its start. */
function Question({
  file: { name, bytes },
  onRemove,
  onKeep,
}: {
  file: UnfinishedFile
  onRemove: () => void
  onKeep: () => void
}) {
  const size = formatBytes(bytes)
  return (
    <>
      <p className={css.words} role="alert">
        {t`Remove ${size} of “${name}”? It will start from the beginning.`}
      </p>
      <div className={css.actions}>
        <Button look="ghost" size="sm" autoFocus onClick={onKeep}>
          {t`Keep it`}
        </Button>
        <Button look="danger" size="sm" onClick={onRemove}>
          {t`Remove`}
        </Button>
      </div>
    </>
  )
}

function openLabel(beamName: string, name: string): string {
  return t`Open the beam ${beamName} of ${name}`
}

function removeLabel(name: string): string {
  return t`Remove ${name}`
}
