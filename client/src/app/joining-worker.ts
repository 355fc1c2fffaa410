/** The worker that joins many files, because the browser asks the disk for each of them. */
import { type JoinedFiles, joinFiles } from './joined-files'

const scope = self as unknown as {
  postMessage(message: JoinedFiles): void
  onmessage: ((event: MessageEvent<readonly File[]>) => void) | null
}

scope.onmessage = ({ data }) => scope.postMessage(joinFiles(data))
