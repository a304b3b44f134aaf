import { quietly } from "./patches.ts"
import { printed } from "./print.ts"
import type { Recording } from "./recording.ts"

const levels = ["debug", "log", "info", "warn", "error"] as const

/** Records what the page writes to the console. */
export const recordConsole = ({ add, patches }: Recording) => {
  // Printing may run code of the page that writes to the console itself.
  let isPrinting = false
  for (const level of levels) {
    patches.method(console, level, (args, proceed) => {
      if (!isPrinting) {
        isPrinting = true
        quietly(() => {
          const error = args.find((arg): arg is Error => arg instanceof Error)
          const stack = error?.stack
          add({ kind: "console", level, message: printed(args), ...(stack !== undefined && { stack }) })
        })
        isPrinting = false
      }
      return proceed()
    })
  }
}
