import { suite as apiV1 } from "../src/blackbox/api-v1.ts"
import { suite as apiV2 } from "../src/blackbox/api-v2.ts"
import { suite as download } from "../src/blackbox/download.ts"
import { suite as links } from "../src/blackbox/links.ts"
import { suite as openapi } from "../src/blackbox/openapi.ts"
import { suite as order } from "../src/blackbox/order.ts"
import { suite as refusals } from "../src/blackbox/refusals.ts"
import { suite as requests } from "../src/blackbox/requests.ts"
import { suite as inputs } from "../src/blackbox/settings-inputs.ts"
import { suite as limits } from "../src/blackbox/settings-limits.ts"
import { suite as transcript } from "../src/blackbox/transcript.ts"
import { suite as update } from "../src/blackbox/update.ts"
import { suite as uploads } from "../src/blackbox/uploads.ts"
import { suite as users } from "../src/blackbox/users.ts"
import { suite as visibility } from "../src/blackbox/visibility.ts"
import { Server } from "../src/support/server.ts"

const suites = [
  apiV2,
  order,
  update,
  users,
  apiV1,
  requests,
  visibility,
  refusals,
  download,
  transcript,
  uploads,
  links,
  openapi,
  inputs,
  limits
]
for (const suite of suites) suite(new Server("sqlite", { withSignIn: suite === limits }))
