import { setting } from "./setting.ts"
import { keepingTime } from "./values.ts"

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
  })
}
