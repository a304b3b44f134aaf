import { afterEach, describe } from "vitest"
import { contract } from "../src/hermetic/contract.ts"
import { core } from "../src/hermetic/core.ts"
import { dispatcher } from "../src/hermetic/dispatcher.ts"
import { domain } from "../src/hermetic/domain.ts"
import { http } from "../src/hermetic/http.ts"
import { signing } from "../src/hermetic/signing.ts"
import { closeWorlds } from "../src/hermetic/world.ts"

afterEach(closeWorlds)

// `npx pnpm test:faults` plants faults in each of these packages, and runs its suite by this name.
for (const [name, suite] of Object.entries({ domain, signing, contract, core, http, dispatcher })) {
  describe(`@tapedeck/${name}`, suite)
}
