import { entries } from "./auditEntries.ts"
import { captureLinks } from "./captureLinks.ts"
import { captures } from "./captures.ts"
import { deliveries } from "./deliveries.ts"
import { events } from "./events.ts"
import { folders } from "./folders.ts"
import { automations, destinations } from "./receivers.ts"
import { recordings } from "./recordings.ts"
import { redeliveries } from "./redeliveries.ts"
import { sharing } from "./sharing.ts"
import { sessions, signIn } from "./signIn.ts"
import { sites } from "./sites.ts"
import { tokens } from "./tokens.ts"
import { transcripts } from "./transcripts.ts"
import { uploads } from "./uploads.ts"
import { account, profile, users } from "./users.ts"

/** The settings API. */
export const settingsEndpoints = [
  ...account,
  ...automations,
  ...captureLinks,
  ...captures,
  ...deliveries,
  ...destinations,
  ...entries,
  ...events,
  ...folders,
  ...profile,
  ...recordings,
  ...redeliveries,
  ...sessions,
  ...sharing,
  ...signIn,
  ...sites,
  ...tokens,
  ...transcripts,
  ...uploads,
  ...users
]
