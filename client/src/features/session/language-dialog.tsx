import { t } from '@lingui/core/macro'
import Check from 'lucide-react/icons/check'
import { useStore } from 'zustand'
import { LANGUAGES } from '../../languages/languages'
import { Dialog } from '../../ui/dialog'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './language-dialog.module.css'

/** The languages of the page. Each has its own name, so that its reader finds it in any other. */
export function LanguageDialog({ onClose }: { onClose: () => void }) {
  const { stores, actions } = useApp()
  const { language } = useStore(stores.language)
  return (
    <Dialog title={t`Language`} cross onClose={onClose}>
      <ul className={css.list}>
        {LANGUAGES.map(({ code, name }) => (
          <li key={code}>
            <button
              type="button"
              className={css.language}
              lang={code}
              aria-current={code === language || undefined}
              onClick={() => {
                onClose()
                void actions.chooseLanguage(code)
              }}
            >
              <bdi>{name}</bdi>
              {code === language && <Icon of={Check} size={18} />}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
