import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AuditDestinations } from "./AuditDestinations.ts"
import { AuditEntries } from "./AuditEntries.ts"
import { Automations } from "./Automations.ts"
import { CaptureLinks } from "./CaptureLinks.ts"
import { Captures } from "./Captures.ts"
import { Deliveries } from "./Deliveries.ts"
import { Events } from "./Events.ts"
import { Folders } from "./Folders.ts"
import { Recordings } from "./Recordings.ts"
import { Redeliveries } from "./Redeliveries.ts"
import { SharingGroup } from "./Sharing.ts"
import { Sessions, SignIn } from "./SignIn.ts"
import { Sites } from "./Sites.ts"
import { Tokens } from "./Tokens.ts"
import { Transcripts } from "./Transcripts.ts"
import { AccountGroup, Profile, Users } from "./Users.ts"

const groups = [
  Folders,
  CaptureLinks,
  Sites,
  Captures,
  Recordings,
  SharingGroup,
  Transcripts,
  Automations,
  AuditDestinations,
  Deliveries,
  Redeliveries,
  Events,
  AuditEntries,
  Tokens,
  Users,
  AccountGroup,
  Profile,
  SignIn,
  Sessions
] as const

/** Its type is written down, so that its declaration names the groups: an inferred one repeats all of their endpoints. */
const api: HttpApi.HttpApi<
  "tapedeck-settings",
  HttpApiGroup.AddPrefix<(typeof groups)[number], "/api/settings">
> = HttpApi.make("tapedeck-settings")
  .add(...groups)
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
  )

/** The settings API, below `/api/settings`: what the product's settings screens do. */
export class Api extends api {}
