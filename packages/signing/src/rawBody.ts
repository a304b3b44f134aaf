import type { Framework } from "./errors.ts"

const cures: Readonly<Record<Framework, string>> = {
  fetch: "Call this before request.json() and request.text(), or give it a request.clone() made before them.",
  node: "Read the request's chunks into one Buffer, or call this before anything else reads the request.",
  express:
    'Mount this before express.json(), or keep the bytes on this route: app.use("/hook", express.raw({ type: "*/*" })).',
  fastify: "Register this as a plugin of its own, which keeps bodies as buffers, without fastify-plugin around it.",
  koa: "Mount this before the body parser (app.use order), or leave this path out of the body parser.",
  "next-pages": "Export this from the same file: export const config = { api: { bodyParser: false } }.",
  lambda: "Give this the event as API Gateway made it, before any middleware (such as a JSON body parser) changes it."
}

const anyFramework =
  'Get the raw bytes: in Express, express.raw({ type: "*/*" }) on this route; in Fastify, a content type parser with ' +
  '{ parseAs: "buffer" }; in Koa, no body parser on this path; in Next.js pages, api: { bodyParser: false }; with a ' +
  "fetch Request, await request.arrayBuffer(). The adapters (@tapedeck/signing/express and others) do this for you."

/** How raw bytes are had in that framework; without one, in each. */
export const rawBodyCure = (framework: Framework | undefined): string =>
  framework === undefined ? anyFramework : cures[framework]
