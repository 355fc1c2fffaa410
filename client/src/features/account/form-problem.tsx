import CircleAlert from 'lucide-react/icons/circle-alert'
import { Icon } from '../../ui/icon'
import css from './form-problem.module.css'

/** What is wrong with a form as a whole, above its button, where the person looks next. */
export function FormProblem({ children }: { children: string | null }) {
  if (children === null) return null
  return (
    <p role="alert" className={css.problem}>
      <Icon of={CircleAlert} size={16} />
      {children}
    </p>
  )
}
