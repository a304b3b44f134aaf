import * as core from "@tapedeck/core"
import { loadStartDocument } from "@tapedeck/fixtures"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

/** What is there at the start. A store of `@tapedeck/storage` keeps its data, and needs this once. */
const start = {
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
    { email: "bob@acme.test", name: "Bob", token: "bob-token" }
  ],
  recordings: [{ title: "Checkout fails" }]
}

/** The services of Tapedeck, over a store in memory. The key has 32 secret bytes, which a store that keeps its data needs again. */
export const openTapedeck = async (key: Uint8Array) => {
  const ports = Layer.mergeAll(
    core.storeLayer(core.makeMemoryStore(core.emptyWorld()).store),
    Layer.succeed(core.ServiceConfig, core.defaultServiceConfig),
    core.Vault.layer(Redacted.make(key)),
    core.Ids.layerRandom,
    core.RequestIds.layerRandom,
    Layer.succeed(core.UploadPolicy, { unknownContent: "refused" })
  )
  const runtime = ManagedRuntime.make(core.useCases.pipe(Layer.provideMerge(ports)))
  await runtime.runPromise(loadStartDocument(start, { vendor: "Tapedeck", allowHttp: false }))
  return runtime.context()
}
