import { relative, resolve } from "node:path"
import { optional, type Problem, setting } from "./setting.ts"
import { orOff, retentionTime, sizeBytes, text, wholeNumber } from "./values.ts"

/** Settings of retention and quotas. Nothing is removed unless a setting says so. */
export const retention = {
  keep_logs: setting<number | null>({
    value: "DURATION",
    description: "time for which ended deliveries and their log are kept, such as P90D",
    details: "See [Retention](operating.md#retention).",
    parse: retentionTime,
    initial: null,
    initially: "off: forever"
  }),
  keep_audit: setting<number | null>({
    value: "DURATION",
    description: "time for which audit entries are kept, such as P365D",
    parse: retentionTime,
    initial: null,
    initially: "off: forever"
  }),
  quota_recordings: setting<number | null>({
    value: "N",
    description: "maximum number of recordings of a member, or off",
    details:
      "Captures by the member's links count. Beyond one of the three quotas of members: 409, which names the setting. Quotas do not apply to admins, or to an admin's requests on behalf of a member.",
    parse: orOff(wholeNumber(1)),
    initial: null,
    initially: "off"
  }),
  quota_bytes: setting<number | null>({
    value: "SIZE",
    description: "maximum total size of a member's files, such as 20GB, or off",
    details: "Generated files such as thumbnails count.",
    parse: orOff(sizeBytes),
    initial: null,
    initially: "off"
  }),
  quota_uploads: setting<number | null>({
    value: "N",
    description: "maximum number of resumable uploads of a member in progress, or off",
    parse: orOff(wholeNumber(1)),
    initial: null,
    initially: "off"
  }),
  quota_capture_bytes: setting<number | null>({
    value: "SIZE",
    description: "maximum bytes of video that an account's captures receive in 24 hours, such as 50GB, or off",
    details: "At most half of it on sites. Beyond the limit: 413.",
    parse: orOff(sizeBytes),
    initial: null,
    initially: "off"
  }),
  quota_key_bytes: setting<number | null>({
    value: "SIZE",
    description: "maximum bytes of video that a site or a capture link receives in 24 hours, such as 100GB, or off",
    details: "At most a quarter of it from one network address. Beyond the limit: 413.",
    parse: orOff(sizeBytes),
    initial: 50_000_000_000,
    initially: "50GB"
  }),
  audit_heads: optional({
    value: "FILE",
    description: "a file outside the data directory for the heads of the audit chains, which audit verify compares",
    details: "See [Audit log](operating.md#audit-log).",
    parse: text,
    initially: "none"
  })
}

/** Errors of combinations of settings. */
export const retentionProblems = ({
  audit_heads,
  data
}: {
  readonly audit_heads: string | undefined
  readonly data: string
}): ReadonlyArray<Problem<"audit_heads" | "data">> =>
  audit_heads !== undefined && !relative(resolve(data), resolve(audit_heads)).startsWith("..")
    ? [
        {
          names: ["audit_heads"],
          text: "must be outside the data directory, where an attacker who can change the database could change it too",
          dependsOn: ["data"]
        }
      ]
    : []
