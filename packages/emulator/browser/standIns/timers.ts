/** The part of `node:timers` that the emulator's code uses. */

export const setTimeout = globalThis.setTimeout.bind(globalThis)
export const clearTimeout = globalThis.clearTimeout.bind(globalThis)

interface Immediate {
  task: (() => void) | null
}

const turns = new MessageChannel()
const waiting: Array<Immediate> = []
turns.port1.addEventListener("message", () => waiting.shift()?.task?.())
turns.port1.start()

/** Runs a task in the next turn of the event loop, without the 4 ms that browsers add to nested timers. */
export const setImmediate = (task: () => void): Immediate => {
  const immediate: Immediate = { task }
  waiting.push(immediate)
  turns.port2.postMessage(null)
  return immediate
}

export const clearImmediate = (immediate: Immediate): void => {
  immediate.task = null
}
