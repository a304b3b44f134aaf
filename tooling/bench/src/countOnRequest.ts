/** Preloaded into a server (`--import`): counts its costs between two messages, and replies to the second with them. */
import { type Costs, countCosts } from "./costs.ts"

let stop: (() => Costs) | undefined

process.on("message", () => {
  if (stop === undefined) {
    stop = countCosts()
    process.send!("counting")
    return
  }
  process.send!(stop())
  stop = undefined
})
// The server ends as it does without this module.
process.channel?.unref()
