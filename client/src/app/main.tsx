/** The entry point. */
import '@fontsource-variable/inter/opsz.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../ui/tokens.css'
import '../ui/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { startLanguage } from './language'
import { ownTab } from './own-tab'
import { startServices } from './services'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root')
void Promise.all([startLanguage(), ownTab(navigator.locks)]).then(([language]) =>
  createRoot(root).render(
    <StrictMode>
      <App app={startServices(language)} />
    </StrictMode>,
  ),
)
