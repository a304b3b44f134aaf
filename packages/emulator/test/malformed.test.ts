import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { startEmulator } from "../src/index.ts"

const answerTo = async (url: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let answer = ""
  socket.setEncoding("utf8").on("data", (more: string) => {
    answer += more
  })
  socket.write(text)
  await new Promise((resolve) => socket.once("close", resolve))
  return answer
}

test.each([
  ["no request line", "NONSENSE\r\n\r\n", { error: "Malformed HTTP request" }],
  ["a bad header of v2", "GET /api/v2/recordings HTTP/1.1\r\nb@d h: 1\r\n\r\n", { error: "Malformed HTTP request" }],
  [
    "a bad header of v1",
    "GET /api/v1/recordings HTTP/1.1\r\nb@d h: 1\r\n\r\n",
    { error: { message: "Malformed HTTP request", code: 400 } }
  ],
  [
    "a bad header of v1 in a world",
    "GET /worlds/w1/api/v1/recordings HTTP/1.1\r\nb@d h: 1\r\n\r\n",
    { error: { message: "Malformed HTTP request", code: 400 } }
  ]
])("malformed HTTP is 400 in the error shape of its API version: %s", async (_what, text, body) => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const answer = await answerTo(emulator.url, text)
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/json\r\n/)
  expect(answer).toMatch(/\r\nx-request-id: [0-9a-f]{24}\r\n/)
  expect(answer).toContain("\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n")
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))).toEqual(body)
})
