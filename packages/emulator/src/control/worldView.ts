import { Vault } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import packageJson from "../../package.json" with { type: "json" }
import { countPending } from "../clock/events.ts"
import type { Emulator } from "../Emulator.ts"
import type { World } from "../world/World.ts"
import type { WorldView } from "./schemas.ts"

/** The first valid token of each active user, by e-mail address. */
const tokensOf = Effect.fnUntraced(function* (world: World) {
  const { tokens, users } = world.memory.state()
  const vault = Context.get(world.services, Vault)
  const firsts = new Map<number, string>()
  for (const token of tokens.values()) {
    if (token.kind === "access" && token.revokedAt === null && !firsts.has(token.userId))
      firsts.set(token.userId, token.sealed)
  }
  const byEmail: Record<string, string> = {}
  for (const user of users.values()) {
    const sealed = firsts.get(user.id)
    if (user.active && sealed !== undefined) byEmail[user.email] = yield* vault.open(sealed)
  }
  return byEmail
})

/** The origin as the caller reaches it: through a mapped port or another name only its `Host` contains it. Without one, the socket's. */
const originFor = (emulator: Emulator) =>
  Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), (request) => {
    const host = Option.getOrUndefined(request)?.headers.host
    return host === undefined ? emulator.origin : `http://${host}`
  })

export const baseUrlOf = (emulator: Emulator, world: World) =>
  Effect.map(originFor(emulator), (origin) => emulator.baseUrl(world, origin))

export const worldView = Effect.fnUntraced(function* (emulator: Emulator, world: World) {
  const base_url = yield* baseUrlOf(emulator, world)
  const view: WorldView = {
    version: packageJson.version,
    world: world.id,
    base_url,
    control_url: `${base_url}/_emulator`,
    now: toIso(world.now()),
    seed: world.settings.seed,
    config: world.config,
    tokens: yield* tokensOf(world),
    in_flight: world.inFlight,
    pending_count: countPending(world)
  }
  return view
})
