import { absolute } from "./network.ts"
import { printValue } from "./print.ts"
import type { Recording } from "./recording.ts"

const stackOf = (value: unknown) => (value instanceof Error && value.stack !== undefined ? { stack: value.stack } : {})

/** Records uncaught errors, unhandled rejections, resources that did not load, and violations of the page's policy. */
export const recordErrors = ({ add, patches }: Recording) => {
  patches.listen(window, "error", (event: ErrorEvent) => {
    const { target } = event
    if (target instanceof Element) {
      const source = absolute(target.getAttribute("src") ?? target.getAttribute("href") ?? "")
      add({ kind: "error", message: `<${target.localName}> did not load: ${source}`, source })
    } else {
      const place = event.filename ? { source: `${event.filename}:${event.lineno}:${event.colno}` } : {}
      add({ kind: "error", message: event.message, ...stackOf(event.error), ...place })
    }
  })
  patches.listen(window, "unhandledrejection", ({ reason }: PromiseRejectionEvent) => {
    add({ kind: "error", message: `Unhandled rejection: ${printValue(reason)}`, ...stackOf(reason) })
  })
  patches.listen(document, "securitypolicyviolation", (event: SecurityPolicyViolationEvent) => {
    const message = `${event.effectiveDirective} refuses ${event.blockedURI}`
    add({ kind: "error", message, source: `${event.sourceFile}:${event.lineNumber}:${event.columnNumber}` })
  })
}
