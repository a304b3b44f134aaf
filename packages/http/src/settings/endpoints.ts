import { automations } from "./automations.ts"
import { deliveries } from "./deliveries.ts"
import { destinations } from "./destinations.ts"
import { entries } from "./entries.ts"
import { folders } from "./folders.ts"
import { recordings } from "./recordings.ts"
import { sessions, signIn } from "./signIn.ts"
import { tokens } from "./tokens.ts"
import { transcripts } from "./transcripts.ts"
import { account, users } from "./users.ts"

/** The settings API. */
export const settingsEndpoints = [
  ...account,
  ...automations,
  ...deliveries,
  ...destinations,
  ...entries,
  ...folders,
  ...recordings,
  ...sessions,
  ...signIn,
  ...tokens,
  ...transcripts,
  ...users
]
