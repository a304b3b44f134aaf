/** The code of a Worker that serves the API with the store in memory; its size is measured. */
export const smallWorker = `import * as core from "@tapedeck/core"
import { makeFetchHandler } from "@tapedeck/http"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
const ports = Layer.mergeAll(
  core.storeLayer(core.makeMemoryStore(core.emptyWorld()).store),
  Layer.succeed(core.ServiceConfig, core.defaultServiceConfig),
  core.Vault.layer(Redacted.make(new Uint8Array(32))),
  core.Ids.layerRandom,
  core.RequestIds.layerRandom,
  Layer.succeed(core.UploadPolicy, { unknownContent: "refused" })
)
const runtime = ManagedRuntime.make(core.useCases.pipe(Layer.provideMerge(ports)))
export const open = async () => makeFetchHandler({ services: await runtime.context() })
`
