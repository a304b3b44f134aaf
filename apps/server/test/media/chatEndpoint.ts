import { createServer, type ServerResponse } from "node:http"
import { Schema } from "effect"
import { onTestFinished } from "vitest"

export const chatKey = "sk-4711-secret"

/** A request as OpenAI documents it, without further fields. */
const ChatRequest = Schema.Struct({
  model: Schema.NonEmptyString,
  messages: Schema.Tuple([
    Schema.Struct({ role: Schema.Literal("system"), content: Schema.NonEmptyString }),
    Schema.Struct({ role: Schema.Literal("user"), content: Schema.NonEmptyString })
  ]),
  response_format: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("json_object") }))
})
export type ChatRequest = typeof ChatRequest.Type

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(ChatRequest), { onExcessProperty: "error" })

export const completionOf = (content: unknown): string =>
  JSON.stringify({ id: "c1", choices: [{ index: 0, message: { role: "assistant", content } }] })

/** An endpoint for chat completions, strict about its requests, which answers valid ones so and keeps them. */
export const aChatEndpoint = async (answer: (response: ServerResponse, request: ChatRequest) => void) => {
  const received: Array<ChatRequest> = []
  const server = createServer(async (request, response) => {
    const pieces: Array<Buffer> = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const { authorization, "content-length": length, "content-type": type } = request.headers
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") return response.writeHead(404).end()
    if (authorization !== `Bearer ${chatKey}`) return response.writeHead(401).end(`Incorrect key ${authorization}`)
    const chat = decode(body.toString())
    const isWhole = type === "application/json" && length === String(body.length)
    if (!isWhole || chat._tag === "Failure") return response.writeHead(400).end("invalid request")
    received.push(chat.success)
    return answer(response, chat.success)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { received, url: `http://127.0.0.1:${port}/v1` }
}
