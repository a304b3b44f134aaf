import { readFileSync, watch } from "node:fs"
import type { Server } from "node:https"
import { dirname } from "node:path"
import { createSecureContext } from "node:tls"
import { Effect, type Scope } from "effect"
import { ConfigInvalid } from "../config/Config.ts"

/** Where certificate and key are. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** How long files are left alone after a change: certificate and key are seldom replaced in one. */
const settleMs = 200

/** Reads the pair and tries it. Throws a `ConfigInvalid` that names the variable, and nothing of what is in the key. */
export const readPair = ({ cert, key }: TlsFiles) => {
  const pair = {
    cert: read("TAPEDECK_TLS_CERT", cert),
    key: read("TAPEDECK_TLS_KEY", key),
    minVersion: "TLSv1.2"
  } as const
  try {
    createSecureContext(pair)
    return pair
  } catch (error) {
    const why = (error as Error).message.replace(/^error:[0-9A-F]+:/, "")
    throw new ConfigInvalid(`TAPEDECK_TLS_CERT, TAPEDECK_TLS_KEY: ${cert} and ${key} are no pair in PEM: ${why}`)
  }
}

const read = (variable: string, file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigInvalid(`${variable}: ${file}: ${code === "ENOENT" ? "no such file" : message}`)
  }
}

/**
 * Takes a new pair for the connections to come when its files change, and on SIGHUP. One that cannot be used leaves the
 * present one in its place, and the log says why.
 */
export const reloadTls = (
  server: Pick<Server, "setSecureContext">,
  files: TlsFiles
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const log = Effect.runForkWith(context)
    let present = readPair(files)
    const reload = () => {
      try {
        const next = readPair(files)
        if (next.cert === present.cert && next.key === present.key) return
        server.setSecureContext(next)
        present = next
        log(Effect.logInfo("the TLS certificate was taken anew"))
      } catch (error) {
        log(Effect.logError(`the TLS certificate stays as it was: ${(error as Error).message}`))
      }
    }
    let timer: NodeJS.Timeout | undefined
    const later = () => {
      clearTimeout(timer)
      timer = setTimeout(reload, settleMs)
    }
    // Folders: files are replaced by renaming, or by turning a link, and a watch on a file stays with the old one.
    const watches = [...new Set([dirname(files.cert), dirname(files.key)])].map((folder) =>
      watch(folder, { persistent: false }, later)
    )
    for (const one of watches) one.on("error", () => one.close())
    process.on("SIGHUP", reload)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        clearTimeout(timer)
        for (const one of watches) one.close()
        process.off("SIGHUP", reload)
      })
    )
  })
