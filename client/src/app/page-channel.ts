/** What the pages of this browser tell each other. Some old browsers have no such channels: there they tell each other nothing. */

/** Tells the other pages something on the channel of that name. It may come to this one too. */
export function tellPages<Said>(name: string, said: Said): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(name)
  channel.postMessage(said)
  channel.close()
}

/** Hears what is told on the channel of that name, until the returned function is called. */
export function hearPages<Said>(name: string, hear: (said: Said) => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  const channel = new BroadcastChannel(name)
  // Only pages of this site are on the channel, and they say nothing else.
  channel.onmessage = ({ data }: MessageEvent<Said>) => hear(data)
  return () => channel.close()
}
