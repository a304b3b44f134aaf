/** The list on fastify, out of memory. `node fastify.ts DATA` prints its port. */

import { openRecordings } from "../../src/list/peers/recordings.ts"
import { serveWithFastify } from "./fastifyApp.ts"

console.log(await serveWithFastify(openRecordings(process.argv[2]!)))
