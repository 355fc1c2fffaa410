import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { Fragment } from 'react'
import { Dialog } from '../../ui/dialog'
import { KEY_WORDS, keysOf, SHORTCUT_GROUPS } from './commands'
import css from './shortcut-help.module.css'

/** The list of keys. It shows the table by which they are handled. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t`Keyboard shortcuts`} width="large" cross onClose={onClose}>
      <div className={css.groups}>
        {SHORTCUT_GROUPS.map(({ title, shortcuts }) => (
          <section key={title.id}>
            <h3 className={css.title}>{i18n._(title)}</h3>
            <dl className={css.list}>
              {shortcuts.map((shortcut) => (
                <div key={shortcut.words.id} className={css.row}>
                  <dt>{i18n._(shortcut.words)}</dt>
                  <dd>
                    {keysOf(shortcut).map((keys, at) => (
                      <Fragment key={keys}>
                        {at > 0 && ` ${t({ message: 'or', comment: 'Between two keys of the keyboard' })} `}
                        <Keys of={keys} />
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function Keys({ of }: { of: string }) {
  // The plus key stands alone.
  const names = of === '+' ? [of] : of.split('+')
  return names.map((name, at) => {
    const words = KEY_WORDS[name]
    return (
      <Fragment key={name}>
        {at > 0 && '+'}
        <kbd className={css.key}>{words ? i18n._(words) : name}</kbd>
      </Fragment>
    )
  })
}
