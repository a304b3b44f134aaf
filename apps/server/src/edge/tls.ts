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
    let trouble = ""
    const reload = () => {
      try {
        const next = readPair(files)
        trouble = ""
        if (next.cert === present.cert && next.key === present.key) return
        server.setSecureContext(next)
        present = next
        log(Effect.logInfo("the TLS certificate was taken anew"))
      } catch (error) {
        const { message } = error as Error
        // Once: whatever changes in the folder has the pair looked at again, the log itself if it is there.
        if (message !== trouble) log(Effect.logError(`the TLS certificate stays as it was: ${message}`))
        trouble = message
      }
    }
    let timer: NodeJS.Timeout | undefined
    // A change while one is waited for puts nothing off: in a folder that never rests, nothing would ever be taken.
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, settleMs)
    }
    const asked = () => {
      trouble = ""
      reload()
    }
    // Folders: files are replaced by renaming, or by turning a link, and a watch on a file stays with the old one.
    const watches = [...new Set([dirname(files.cert), dirname(files.key)])].map((folder) =>
      watch(folder, { persistent: false }, later)
    )
    for (const one of watches) one.on("error", () => one.close())
    process.on("SIGHUP", asked)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        clearTimeout(timer)
        for (const one of watches) one.close()
        process.off("SIGHUP", asked)
      })
    )
  })
