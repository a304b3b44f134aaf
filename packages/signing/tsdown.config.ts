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
  external: ["#hmac", "node:crypto"],
  platform: "neutral",
  target: "es2022",
  fixedExtension: false,
  dts: true
})
