import { HttpApi, OpenApi } from "effect/http-api"
import { AuditDestinations } from "./AuditDestinations.ts"
import { AuditEntries } from "./AuditEntries.ts"
import { Automations } from "./Automations.ts"
import { Deliveries } from "./Deliveries.ts"
import { Folders } from "./Folders.ts"
import { Recordings } from "./Recordings.ts"
import { Sessions, SignIn } from "./SignIn.ts"
import { Tokens } from "./Tokens.ts"
import { Transcripts } from "./Transcripts.ts"
import { AccountGroup, Users } from "./Users.ts"

/** The settings API, below `/api/settings`: what the product's settings screens do (S1). */
export class Api extends HttpApi.make("tapedeck-settings")
  .add(
    Folders,
    Recordings,
    Transcripts,
    Automations,
    AuditDestinations,
    Deliveries,
    AuditEntries,
    Tokens,
    Users,
    AccountGroup,
    SignIn,
    Sessions
  )
  .prefix("/api/settings")
  // A refusal names every parameter that is wrong, not the first alone.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Settings API",
      version: "1.0.0",
      summary: "What the settings screens do: folders, automations, the audit log, users, access tokens, signing in.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
