/** The list on fastify, out of memory. `node fastify.ts DATA` prints its port. */
import { serveWithFastify } from "./fastifyApp.ts"
import { openRecordings } from "./recordings.ts"

console.log(await serveWithFastify(openRecordings(process.argv[2]!)))
