import { AccessTokens, Administration } from "@tapedeck/core"
import * as input from "@tapedeck/domain/input"
import { Context, Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { whileStill } from "../../clock/move.ts"
import { addFixtures, defaultWorldId } from "../../Emulator.ts"
import { readLocalFile } from "../../world/readLocalFile.ts"
import { imageOf, snapshotOf } from "../../world/snapshot.ts"
import { ControlApi } from "../Api.ts"
import { AccountChange, NewFork, NewSession, NoOptions } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import {
  badRequest,
  bodyOf,
  conflict,
  isInProcess,
  json,
  jsonBody,
  optionalBodyOf,
  refusalResponse,
  refused
} from "../requests.ts"
import type { AccountView } from "../schemas.ts"
import { worldView } from "../worldView.ts"

export const world = controlEndpoints(
  ControlApi.groups.world,
  {
    get: ({ emulator, world }) => Effect.map(worldView(emulator, world), (view) => json(view)),
    list: ({ emulator }) => Effect.succeed(json({ worlds: [...emulator.worlds.keys()] })),
    create: Effect.fnUntraced(function* ({ emulator, world }) {
      if (world.id !== defaultWorldId) return yield* refused(404, "Create worlds at /_emulator/worlds")
      const created = yield* emulator.create(yield* jsonBody)
      return json({ ...(yield* worldView(emulator, created.world)), fixtures: created.made }, 201)
    }),
    remove: ({ emulator, world }) =>
      Effect.sync(() => {
        if (world.id === defaultWorldId) return refusalResponse(refused(409, "The default world cannot be deleted"))
        emulator.remove(world)
        return HttpServerResponse.empty({ status: 204 })
      }),
    reset: ({ emulator, world }) =>
      optionalBodyOf(NoOptions).pipe(
        Effect.andThen(
          Effect.mapError(
            whileStill(
              world,
              Effect.sync(() => world.reset())
            ),
            conflict
          )
        ),
        Effect.andThen(worldView(emulator, world)),
        Effect.map((view) => json(view))
      ),
    fork: Effect.fnUntraced(function* ({ emulator, world }) {
      const { id } = yield* optionalBodyOf(NewFork)
      const forked = whileStill(world, emulator.fork(world, id))
      const fork = yield* Effect.catchTag(forked, "MoveInProgress", (error) => Effect.fail(conflict(error)))
      return json(yield* worldView(emulator, fork), 201)
    }),
    snapshot: ({ world }) =>
      whileStill(
        world,
        Effect.sync(() => json(snapshotOf(world.image())))
      ).pipe(Effect.mapError(conflict)),
    restore: Effect.fnUntraced(function* ({ emulator, world }) {
      const image = imageOf(yield* jsonBody)
      if (Result.isFailure(image)) return yield* badRequest(...image.failure)
      yield* whileStill(
        world,
        Effect.sync(() => world.become(image.success))
      ).pipe(Effect.mapError(conflict))
      return json(yield* worldView(emulator, world))
    }),
    account: Effect.fnUntraced(function* ({ world }) {
      const { account, ...change } = yield* bodyOf(AccountChange)
      const [first] = yield* world.memory.store.accounts.list
      const id = account ?? first?.id ?? 0
      const decoded = yield* Effect.mapError(
        Effect.fromResult(input.decodeInput(input.AccountChange)(change)),
        (message) => badRequest({ path: "", message })
      )
      const administered = Effect.flatMap(Administration, ({ changeAccount }) => changeAccount(id, decoded))
      const changed = yield* world.run(Effect.provide(administered, Administration.layer)).pipe(
        Effect.catchTags({
          InputInvalid: ({ problems }) => Effect.fail(badRequest(...problems)),
          NotFound: () => Effect.fail(refused(404, `No such account: ${id}`))
        })
      )
      const view: AccountView = { id: changed.id, name: changed.name, api_access: changed.apiAccess }
      return json(view)
    }),
    session: Effect.fnUntraced(function* ({ world }) {
      const { user: email } = yield* bodyOf(NewSession)
      const user = yield* world.memory.store.users.byEmail(email)
      if (user === undefined) return yield* refused(404, `No such user: ${email}`)
      const tokens = Context.get(world.services, AccessTokens)
      const token = yield* world.run(tokens.create({ user, name: "Session", kind: "session" }))
      return json({ token }, 201)
    }),
    fixtures: ({ emulator, world }) =>
      Effect.map(
        Effect.flatMap(Effect.zip(jsonBody, isInProcess), ([document, inProcess]) =>
          addFixtures(world, document, inProcess ? readLocalFile(emulator.folder) : undefined)
        ),
        (made) => json(made, 201)
      )
  },
  ["fork", "reset", "restore"]
)
