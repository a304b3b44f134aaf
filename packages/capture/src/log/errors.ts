import { elementOf } from "../intrinsics.ts"
import { textOf } from "../text.ts"
import { absolute } from "./network.ts"
import { printValue, stackOf } from "./print.ts"
import type { Recording } from "./recording.ts"

/** A place in a file; none for an event of the page's own, which has none of the fields. */
const placeIn = (file: unknown, line: unknown, column: unknown) =>
  file ? { source: [file, line, column].map(textOf).join(":") } : {}

/**
 * Records uncaught errors, unhandled rejections, resources that did not load, and what the page's policy refuses: not what a
 * policy only reports.
 */
export const recordErrors = ({ add, isOwn, patches }: Recording) => {
  patches.listen(window, "error", ({ colno, error, filename, lineno, message, target }: ErrorEvent) => {
    const element = elementOf(target)
    if (element === null) {
      const text = textOf(message) || "Error event without a message"
      add({ kind: "error", message: text, ...stackOf(error), ...placeIn(filename, lineno, colno) })
    } else {
      const source = absolute(element.getAttribute("src") ?? element.getAttribute("href") ?? "")
      if (!isOwn(source)) add({ kind: "error", message: `<${element.localName}> did not load: ${source}`, source })
    }
  })
  patches.listen(window, "unhandledrejection", ({ reason }: PromiseRejectionEvent) => {
    add({ kind: "error", message: `Unhandled rejection: ${printValue(reason)}`, ...stackOf(reason) })
  })
  patches.listen(document, "securitypolicyviolation", (event: SecurityPolicyViolationEvent) => {
    const refused = textOf(event.blockedURI)
    if (event.disposition === "report" || isOwn(refused)) return
    const message = `${textOf(event.effectiveDirective)} refuses ${refused}`
    add({ kind: "error", message, ...placeIn(event.sourceFile, event.lineNumber, event.columnNumber) })
  })
}
