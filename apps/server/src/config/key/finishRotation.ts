import { existsSync } from "node:fs"
import { Vault } from "@tapedeck/core"
import { Cause, Effect, Exit } from "effect"
import type { DataDirectory } from "../dataDirectory.ts"
import { moveKeyFile, removeKeyFile } from "./keyFile.ts"
import { readKeyFile } from "./keyText.ts"

/** Completes an interrupted rotation: the new key becomes the key if the database uses it, else it is removed. */
export const finishRotation = async ({ database, isNew, key, nextKey }: DataDirectory): Promise<void> => {
  if (isNew || !existsSync(nextKey)) return
  const { isKeyOf } = await import("@tapedeck/storage/sqlite")
  const exit = await Effect.runPromiseExit(isKeyOf(database, Vault.make(readKeyFile(nextKey, nextKey))))
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  if (exit.value) moveKeyFile(nextKey, key)
  else removeKeyFile(nextKey)
}
