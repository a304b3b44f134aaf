import { watch } from "node:fs"
import type { Server } from "node:https"
import { dirname } from "node:path"
import { createSecureContext } from "node:tls"
import { Effect, Result, type Scope } from "effect"
import { ConfigInvalid } from "../../config/Config.ts"
import { type FileUnreadable, readGivenFile } from "../../config/readGivenFile.ts"
import type { SettingProblem } from "../../config/settings.ts"

/** Paths of the certificate and its key. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** Delay after a change, in milliseconds: certificate and key are seldom replaced at the same moment. */
const settleMs = 200

/** Reads and validates the pair. Throws a `ConfigInvalid`, which contains nothing of the key. */
export const readPair = (files: TlsFiles) => {
  const [cert, key] = [read("tls_cert", files.cert), read("tls_key", files.key)]
  if (Result.isFailure(cert) || Result.isFailure(key)) {
    throw new ConfigInvalid([cert, key].flatMap((one) => (Result.isFailure(one) ? [one.failure] : [])))
  }
  const pair = { cert: cert.success, key: key.success, minVersion: "TLSv1.2" } as const
  try {
    createSecureContext(pair)
    return pair
  } catch (error) {
    const why = (error as Error).message.replace(/^error:[0-9A-F]+:/, "")
    const text = `${files.cert} and ${files.key} are not a certificate and its key in PEM: ${why}`
    throw new ConfigInvalid([{ names: ["tls_cert", "tls_key"], text }])
  }
}

const read = (name: "tls_cert" | "tls_key", file: string): Result.Result<string, SettingProblem> => {
  try {
    return Result.succeed(readGivenFile(file))
  } catch (error) {
    return Result.fail({ names: [name], text: `${file}: ${(error as FileUnreadable).message}` })
  }
}

/**
 * Reloads the pair for new connections when its files change, and on SIGHUP. If the new pair is invalid, the present one stays
 * in use, and an error is logged.
 */
export const reloadTls = (
  server: Pick<Server, "setSecureContext">,
  files: TlsFiles
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const log = Effect.runForkWith(context)
    let present = readPair(files)
    let lastError = ""
    const reload = () => {
      try {
        const next = readPair(files)
        lastError = ""
        if (next.cert === present.cert && next.key === present.key) return
        server.setSecureContext(next)
        present = next
        log(Effect.logInfo("TLS certificate reloaded"))
      } catch (error) {
        if (!(error instanceof ConfigInvalid)) throw error
        const message = error.problems.map(({ text }) => text).join("; ")
        // Logged once: every change in the folder causes a reload, and the log itself may be in it.
        if (message !== lastError)
          log(Effect.logError("TLS certificate not reloaded, the present one stays in use", { reason: message }))
        lastError = message
      }
    }
    let timer: NodeJS.Timeout | undefined
    // A further change does not postpone the reload: in a folder that changes all the time there would be none.
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, settleMs)
    }
    const onSignal = () => {
      lastError = ""
      reload()
    }
    // Watches folders: files are replaced by renaming or by changing a link, and a watch on a file follows the old one.
    const watches = [...new Set([dirname(files.cert), dirname(files.key)])].map((folder) =>
      watch(folder, { persistent: false }, later)
    )
    for (const one of watches) one.on("error", () => one.close())
    process.on("SIGHUP", onSignal)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        clearTimeout(timer)
        for (const one of watches) one.close()
        process.off("SIGHUP", onSignal)
      })
    )
  })
