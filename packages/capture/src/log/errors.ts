import { elementOf } from "../intrinsics.ts"
import { absolute } from "./network.ts"
import { printValue, stackOf } from "./print.ts"
import type { Recording } from "./recording.ts"

const placeIn = (file: string, line: number, column: number) => (file ? { source: `${file}:${line}:${column}` } : {})

/**
 * Records uncaught errors, unhandled rejections, resources that did not load, and violations of the page's policy, except those that a
 * policy only reports.
 */
export const recordErrors = ({ add, isOwn, patches }: Recording) => {
  const { ErrorEvent, PromiseRejectionEvent, SecurityPolicyViolationEvent } = window
  patches.listen(window, "error", ErrorEvent, (event) => {
    const element = elementOf(event.target)
    if (element === null) {
      const { colno, error, filename, lineno, message } = event
      add({ kind: "error", message, ...stackOf(error), ...placeIn(filename, lineno, colno) })
    } else {
      const source = absolute(element.getAttribute("src") ?? element.getAttribute("href") ?? "")
      if (!isOwn(source)) add({ kind: "error", message: `<${element.localName}> did not load: ${source}`, source })
    }
  })
  patches.listen(window, "unhandledrejection", PromiseRejectionEvent, ({ reason }) => {
    add({ kind: "error", message: `Unhandled rejection: ${printValue(reason)}`, ...stackOf(reason) })
  })
  patches.listen(document, "securitypolicyviolation", SecurityPolicyViolationEvent, (event) => {
    const { blockedURI, columnNumber, disposition, effectiveDirective, lineNumber, sourceFile } = event
    if (disposition === "report" || isOwn(blockedURI)) return
    const place = placeIn(sourceFile, lineNumber, columnNumber)
    add({ kind: "error", message: `${effectiveDirective} refuses ${blockedURI}`, ...place })
  })
}
