import { relative, resolve } from "node:path"
import { optional, setting } from "./setting.ts"
import { keepingTime, orOff, sizeBytes, text, wholeNumber } from "./values.ts"

/**
 * How long what only grows is kept, and how much of it a member may have. Nothing is removed
 * unless a setting says so.
 */
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
  quota_recordings: setting<number | null>({
    value: "N",
    says: "how many recordings a member may have, or off",
    parse: orOff(wholeNumber(1)),
    initial: null,
    initially: "off"
  }),
  quota_bytes: setting<number | null>({
    value: "SIZE",
    says: "how large the files of a member's recordings may be together, such as 20GB, or off",
    parse: orOff(sizeBytes),
    initial: null,
    initially: "off"
  }),
  quota_uploads: setting<number | null>({
    value: "N",
    says: "how many resumable uploads a member may have in progress, or off",
    parse: orOff(wholeNumber(1)),
    initial: null,
    initially: "off"
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
