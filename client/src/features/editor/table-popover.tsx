import { INSERT_TABLE_COMMAND } from '@lexical/table'
import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import type { LexicalEditor } from 'lexical'
import Table from 'lucide-react/icons/table'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button'
import { Swatches } from './colour-popover'
import { GROUND_COLOURS } from './colours'
import { Popover } from './popover'
import { $setCellColour, TABLE_ACTIONS, type TableAction } from './table-actions'
import css from './table-popover.module.css'
import { run } from './tools'

/** Inserts a table at the caret; inside of a table, offers the actions on it. */
export function TablePopover({ editor, inTable }: { editor: LexicalEditor; inTable: boolean }) {
  return (
    <Popover icon={Table} label={t`Table`} pressed={inTable}>
      {(close) =>
        inTable ? <TableMenu editor={editor} onDone={close} /> : <TableForm editor={editor} onDone={close} />
      }
    </Popover>
  )
}

interface PartProps {
  editor: LexicalEditor
  onDone: () => void
}

function TableMenu({ editor, onDone }: PartProps) {
  const act = (action: Pick<TableAction, '$run'>) => {
    onDone()
    editor.update(() => action.$run(editor))
    editor.focus()
  }
  return (
    <div className={css.menu}>
      {TABLE_ACTIONS.map((groups, column) => (
        <div key={groups[0]?.[0]?.label.id} className={css.column}>
          {groups.map((group) => (
            <div key={group[0]?.label.id} className={css.group}>
              {group.map((action) => (
                <button key={action.label.id} type="button" className={css.item} onClick={() => act(action)}>
                  {i18n._(action.label)}
                </button>
              ))}
            </div>
          ))}
          {column === TABLE_ACTIONS.length - 1 && (
            <CellColour onPick={(colour) => act({ $run: () => $setCellColour(colour) })} />
          )}
        </div>
      ))}
    </div>
  )
}

function CellColour({ onPick }: { onPick: (colour: string | null) => void }) {
  return (
    <fieldset className={css.colours}>
      <legend>{t`Cell colour`}</legend>
      <Swatches colours={GROUND_COLOURS} onPick={onPick} />
    </fieldset>
  )
}

const MOST = 50

function TableForm({ editor, onDone }: PartProps) {
  const [rows, setRows] = useState('3')
  const [columns, setColumns] = useState('3')
  const insert = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onDone()
    const payload = { rows, columns, includeHeaders: { rows: true, columns: false } }
    run(editor, INSERT_TABLE_COMMAND, payload)
    editor.focus()
  }
  return (
    <form className={css.form} onSubmit={insert}>
      <Count label={t`Rows`} value={rows} onChange={setRows} />
      <Count label={t`Columns`} value={columns} onChange={setColumns} />
      <Button look="soft" type="submit">
        {t`Insert table`}
      </Button>
    </form>
  )
}

function Count({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const id = useId()
  return (
    <div className={css.count}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={1}
        max={MOST}
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
