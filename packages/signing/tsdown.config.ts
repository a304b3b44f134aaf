import { defineConfig } from "tsdown"

export default defineConfig({
  entry: {
    index: "src/index.ts",
    fetch: "src/adapters/fetch.ts",
    node: "src/adapters/node.ts",
    express: "src/adapters/express.ts",
    fastify: "src/adapters/fastify.ts",
    koa: "src/adapters/koa.ts",
    "next-pages": "src/adapters/next-pages.ts",
    lambda: "src/adapters/lambda.ts",
    "hmac/node": "src/hmac/node.ts",
    "hmac/web": "src/hmac/web.ts"
  },
  format: ["esm", "cjs"],
  // The package's `imports` choose the file for the runtime that it runs in.
  deps: { neverBundle: ["#hmac", "node:crypto"] },
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  // Nothing here acts by being imported, what is left out of the bundles included.
  treeshake: { moduleSideEffects: false },
  dts: true
})
