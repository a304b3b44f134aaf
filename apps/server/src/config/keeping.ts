import { relative, resolve } from "node:path"
import { optional, setting } from "./setting.ts"
import { keepingTime, text } from "./values.ts"

/** How long what only grows is kept. Nothing is removed unless somebody said so: it would be gone without a warning. */
export const keeping = {
  keep_logs: setting<number | null>({
    value: "DURATION",
    says: "how long deliveries that have ended are kept, with their log, such as P90D",
    parse: keepingTime,
    initial: null,
    initially: "off: for ever"
  }),
  keep_audit: setting<number | null>({
    value: "DURATION",
    says: "how long audit entries are kept, such as P365D",
    parse: keepingTime,
    initial: null,
    initially: "off: for ever"
  }),
  audit_heads: optional({
    value: "FILE",
    says: "a file outside the data directory for the audit chains' heads, which audit verify compares",
    parse: text,
    initially: "none"
  })
}

/** What is wrong with settings together, each line naming its variables. */
export const keepingProblems = ({
  audit_heads,
  data
}: {
  readonly audit_heads: string | undefined
  readonly data: string
}) =>
  audit_heads !== undefined && !relative(resolve(data), resolve(audit_heads)).startsWith("..")
    ? [
        "TAPEDECK_AUDIT_HEADS: must be outside the data directory: who can change the database there could change it too"
      ]
    : []
