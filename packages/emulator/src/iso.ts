import { toIso as format, type Instant } from "@tapedeck/domain"

let last = Number.NaN
let text = ""

/** An instant as ISO 8601. The last one is kept: time mostly stands, and what happens at one instant is told together. */
export const toIso = (at: Instant): string => {
  if (at !== last) {
    text = format(at)
    last = at
  }
  return text
}
