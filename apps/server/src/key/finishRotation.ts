import { existsSync } from "node:fs"
import { Vault } from "@tapedeck/core"
import { Cause, Effect, Exit } from "effect"
import type { DataDirectory } from "../dataDirectory.ts"
import { keyOfDirectory } from "./findKey.ts"
import { moveKeyFile, removeKeyFile } from "./keyFile.ts"

/** What a rotation that was cut off left behind: the new key is the key if the database has taken it, else it is nobody's. */
export const finishRotation = async ({ database, isNew, key, nextKey }: DataDirectory): Promise<void> => {
  if (isNew || !existsSync(nextKey)) return
  const { isKeyOf } = await import("@tapedeck/storage/sqlite")
  const exit = await Effect.runPromiseExit(isKeyOf(database, Vault.make(keyOfDirectory(nextKey))))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  if (exit.value) moveKeyFile(nextKey, key)
  else removeKeyFile(nextKey)
}
