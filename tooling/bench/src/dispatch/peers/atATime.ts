/** Lets so many actions run at a time; the others wait for their turn. */
export const atATime = (most: number) => {
  let running = 0
  const waiting: Array<() => void> = []
  return async <A>(action: () => Promise<A>): Promise<A> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await action()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
