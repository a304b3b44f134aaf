import { suite as apiV2 } from "../src/blackbox/api-v2.ts"
import { suite as download } from "../src/blackbox/download.ts"
import { suite as links } from "../src/blackbox/links.ts"
import { suite as order } from "../src/blackbox/order.ts"
import { suite as inputs } from "../src/blackbox/settings-inputs.ts"
import { suite as limits } from "../src/blackbox/settings-limits.ts"
import { suite as transcript } from "../src/blackbox/transcript.ts"
import { suite as update } from "../src/blackbox/update.ts"
import { suite as uploads } from "../src/blackbox/uploads.ts"
import { suite as users } from "../src/blackbox/users.ts"
import { Server } from "../src/support/server.ts"

/**
 * What the store has a part in. The suites about the shape of requests and answers (requests, refusals, openapi, v1,
 * visibility) run on SQLite: no line of what they try knows which database there is.
 */
const suites = [apiV2, order, update, users, download, transcript, uploads, links, inputs, limits]
for (const suite of suites) suite(new Server("postgres", { withSignIn: suite === limits }))
