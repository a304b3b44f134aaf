import {
  BeforeTranscriptRead,
  Ids,
  RequestIds,
  RequestOrigin,
  ServiceConfig,
  settingsUseCases,
  storeContext,
  Transcripts,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { Guard, Sender } from "@tapedeck/dispatcher"
import { serviceConfigOf } from "@tapedeck/fixtures"
import { AppOptions, defaultAppOptions, type RequestLogEntry } from "@tapedeck/http"
import { Clock, Context, Effect, Layer, Redacted, Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import packageJson from "../../package.json" with { type: "json" }
import { virtualClock } from "../clock/VirtualClock.ts"
import type { Network } from "../deliveries/network.ts"
import { receiverGuard, receiverRules } from "../deliveries/receivers.ts"
import { journaledTestSender, worldSender } from "../deliveries/worldSender.ts"
import type { JournalNote } from "../journal/Journal.ts"
import { isOfConsole } from "../journal/origin.ts"
import { seededIds, seededKey, seededRequestIds } from "./seeded.ts"
import { countingReads } from "./transcriptReads.ts"
import type { World, WorldServices } from "./World.ts"
import { WorldDispatcher } from "./WorldDispatcher.ts"

const requestNote = (
  { caller, method, rule, status, unknownQuery, url }: RequestLogEntry,
  request: HttpServerRequest.HttpServerRequest
): JournalNote => ({
  kind: "request",
  method,
  path: url,
  status,
  user: caller?.user.email ?? null,
  ...(rule !== undefined && { rule }),
  ...(unknownQuery.length > 0 && { unknown_query: unknownQuery }),
  origin: isOfConsole(request) ? "console" : "program"
})

const noteRequest = (world: World) => (entry: RequestLogEntry) =>
  Effect.withFiber<void>(({ context }) => {
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    world.note(requestNote(entry, request), world.now(), entry)
    return Effect.void
  })

/** The production code's services on a world's store, clock, random source and sinks. */
export const servicesOn =
  (network: Network) =>
  (world: World): Context.Context<WorldServices> => {
    const { config, seed } = world.settings
    const ports = storeContext(world.memory.store).pipe(
      Context.add(ServiceConfig, {
        ...serviceConfigOf(config, packageJson.version),
        allowHttp: receiverRules(config.allow_receivers),
        consoleUrl: `${config.public_url}/_emulator/ui`
      }),
      Context.add(Ids, seededIds(seed, world.memory)),
      Context.add(RequestIds, seededRequestIds(seed)),
      Context.add(Vault, Vault.make(Redacted.make(seededKey(seed)))),
      Context.add(Sender, worldSender(world, network)),
      // Tests of an integrator need no real video.
      Context.add(UploadPolicy, { unknownContent: "as_declared" }),
      Context.add(AppOptions, {
        ...defaultAppOptions,
        strictQueries: config.strict_queries,
        log: noteRequest(world)
      }),
      Context.add(Guard, receiverGuard(config.allow_receivers)),
      Context.add(
        Clock.Clock,
        virtualClock(() => world.now())
      ),
      // The origin is the same in process and over the network.
      Context.add(RequestOrigin, { ipAddress: "127.0.0.1", userAgent: null })
    )
    const layer = Layer.merge(WorldDispatcher.layer, settingsUseCases).pipe(
      Layer.provideMerge(useCases),
      Layer.provideMerge(journaledTestSender(world)),
      Layer.provideMerge(Layer.succeedContext(ports))
    )
    const services = Effect.runSync(Layer.buildWithScope(layer, Scope.makeUnsafe()))
    return Context.add(services, BeforeTranscriptRead, countingReads(world, Context.get(services, Transcripts)))
  }
