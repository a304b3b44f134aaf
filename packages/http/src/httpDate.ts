let second = Number.NaN
let text = ""

/** An instant, in milliseconds, as the `Date` header writes it (RFC 9110, 5.6.7). The last one is kept: many requests share it. */
export const httpDate = (ms: number): string => {
  const its = Math.floor(ms / 1000)
  if (its !== second) {
    text = new Date(its * 1000).toUTCString()
    second = its
  }
  return text
}
