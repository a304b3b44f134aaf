import { toIso as format, type Instant } from "@tapedeck/domain"

let last = Number.NaN
let text = ""

/** An instant as ISO 8601. The last one is cached, because time mostly stands still. */
export const toIso = (at: Instant): string => {
  if (at !== last) {
    text = format(at)
    last = at
  }
  return text
}
