/** Calls `beat` at an interval, until the result is called. In the background a page's timers are slowed; a worker's go on. */
export const metronome = (everyMs: number, beat: () => void): (() => void) => {
  const code = `setInterval(() => postMessage(0), ${everyMs})`
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
  const worker = new Worker(url)
  worker.onmessage = beat
  URL.revokeObjectURL(url)
  return () => worker.terminate()
}
