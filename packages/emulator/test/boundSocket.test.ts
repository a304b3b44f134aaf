import { createServer } from "node:http"
import * as net from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { boundToLoopback } from "../src/serve/EmulatorServer.ts"

/** How `url` binds a socket at once, on releases of Node with and without the public class. */

const { BoundSocket, _createServerHandle } = net as unknown as NonNullable<Parameters<typeof boundToLoopback>[0]>

const listening = (bound: object) => {
  const server = createServer().listen(bound)
  onTestFinished(() => void server.close())
  return server.address()
}

const loopback = { address: "127.0.0.1", family: "IPv4", port: expect.any(Number) }

it("uses the public class where Node has it", () => {
  const unused = () => {
    throw new Error("a private function was called")
  }
  expect(BoundSocket).toBeDefined()
  expect(listening(boundToLoopback({ BoundSocket: BoundSocket!, _createServerHandle: unused }))).toEqual(loopback)
})

it("binds at once on older releases", () => {
  expect(listening(boundToLoopback({ _createServerHandle: _createServerHandle! }))).toEqual(loopback)
})

it("fails with the alternative on a runtime with neither", () => {
  expect(() => boundToLoopback({})).toThrow("use the tapedeck-emulator command instead")
})
