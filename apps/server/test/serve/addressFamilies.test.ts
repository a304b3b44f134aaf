import { connectAttemptMs } from "@tapedeck/domain/internal/time"
import { expect, it } from "vitest"
import { listening } from "../support/command.ts"

/** Says at the end how long the process tried one of several addresses. */
const spy = `
  import { getDefaultAutoSelectFamilyAttemptTimeout as get } from "node:net"
  process.once("exit", () => process.stderr.write("tried for " + get() + " ms"))
`

it("the server tries each address of a host longer than Node's 250 ms, for every connection that it makes", async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`
  const server = await listening(["--store", "memory"], { NODE_OPTIONS })
  await server.stop()
  expect(server.output.err).toContain(`tried for ${connectAttemptMs} ms`)
})
