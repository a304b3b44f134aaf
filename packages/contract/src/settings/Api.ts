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

/** The type is written out, because an inferred type would repeat all endpoints of the groups in the declaration. */
const api: HttpApi.HttpApi<
  "tapedeck-settings",
  HttpApiGroup.AddPrefix<(typeof groups)[number], "/api/settings">
> = HttpApi.make("tapedeck-settings")
  .add(...groups)
  .prefix("/api/settings")
  // A refusal names every invalid parameter, not only the first.
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Settings API",
      version: "1.0.0",
      summary:
        "Folders, recordings, captures, automations, deliveries, the audit log, users, access tokens and sign-in.",
      license: { name: "MIT", identifier: "MIT" }
    })
  )

/** The settings API, under `/api/settings`. The product's settings screens use it. */
export class Api extends api {}
