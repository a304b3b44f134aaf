import { quietly } from "../intrinsics.ts"
import { isError, printed, stackOf } from "./print.ts"
import type { Recording } from "./recording.ts"

const levels = ["debug", "log", "info", "warn", "error"] as const

/** Records the console output of the page. */
export const recordConsole = ({ add, patches }: Recording) => {
  // Printing may run code of the page that writes to the console itself.
  let isPrinting = false
  for (const level of levels) {
    patches.method(console, level, (args, proceed) => {
      const result = proceed()
      if (!isPrinting) {
        isPrinting = true
        quietly(() => {
          add({ kind: "console", level, message: printed(args), ...stackOf(args.find(isError)) })
        })
        isPrinting = false
      }
      return result
    })
  }
}
