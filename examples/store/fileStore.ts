import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import {
  documentOfWorldState,
  emptyWorld,
  makeMemoryStore,
  type Store,
  storeContext,
  WorldStateDocument,
  worldStateOfDocument
} from "@tapedeck/core"
import { Effect, Layer, Schema } from "effect"

const Text = Schema.fromJsonString(Schema.toCodecJson(WorldStateDocument))

/** A store in one JSON file, for one process. Everything is in memory, and the file is written after each change. */
const openFileStore = (path: string): Store => {
  const stored = existsSync(path) ? Schema.decodeSync(Text)(readFileSync(path, "utf8")) : undefined
  const memory = makeMemoryStore(stored === undefined ? emptyWorld() : worldStateOfDocument(stored))
  let written = memory.state()

  /** Writes what was committed. Inside a transaction nothing was. */
  const write = () => {
    const state = memory.state()
    if (state === written) return
    writeFileSync(`${path}.new`, Schema.encodeSync(Text)(documentOfWorldState(state)), { flush: true })
    renameSync(`${path}.new`, path)
    written = state
  }

  /** The same methods, each of which writes before it returns. */
  const writing = <Part extends object>(part: Part): Part => {
    type Member = [
      name: string,
      member: Effect.Effect<unknown> | ((...given: Array<unknown>) => Effect.Effect<unknown>)
    ]
    const members = Object.entries(part) as Array<Member>
    const written = members.map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...given: Array<unknown>) => Effect.tap(member(...given), Effect.sync(write))
        : member
    ])
    return Object.fromEntries(written)
  }

  const { changes, nextNumber, transaction, ...repositories } = memory.store
  const all = Object.entries(repositories).map(([name, repository]) => [name, writing<object>(repository)])
  return { changes, ...writing({ nextNumber, transaction }), ...Object.fromEntries(all) }
}

/** A program gets the store by this layer, as it gets one of `@tapedeck/storage`. */
export const layerFileStore = (path: string) =>
  Layer.effectContext(Effect.sync(() => storeContext(openFileStore(path))))
