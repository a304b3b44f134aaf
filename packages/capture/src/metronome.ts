/** Calls `beat` at an interval until the returned function is called. Browsers slow the timers of a page in the background, but not those of a worker. */
export const metronome = (everyMs: number, beat: () => void): (() => void) => {
  const code = `setInterval(() => postMessage(0), ${everyMs})`
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
  const worker = new Worker(url)
  worker.onmessage = beat
  URL.revokeObjectURL(url)
  return () => worker.terminate()
}
