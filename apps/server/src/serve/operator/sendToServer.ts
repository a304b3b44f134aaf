import { request } from "node:http"
import type { DataDirectory } from "../../config/dataDirectory.ts"
import type { Operation, OperationName, Refusal, Result } from "./administration.ts"
import { socketAddress } from "./socketPath.ts"

interface Answered<Name extends OperationName> {
  readonly result?: Result<Name>
  readonly error?: Refusal
}

/** Sends an operation to the server that has the directory and returns its result; null if none runs. Throws the server's error. */
export const sendToServer = async <Name extends OperationName>(
  { socket }: DataDirectory,
  operation: Operation<Name>
): Promise<{ readonly result: Result<Name> } | null> => {
  const address = socketAddress(socket)
  const text = address === undefined ? null : await post(address, JSON.stringify(operation))
  if (text === null) return null
  const { error, result } = JSON.parse(text) as Answered<Name>
  if (error !== undefined) throw refusals.has(error._tag) ? error : new Error(`the server failed: ${error.message}`)
  return { result: result as Result<Name> }
}

const refusals: ReadonlySet<string> = new Set<Refusal["_tag"]>([
  "StateConflict",
  "InputInvalid",
  "InputMalformed",
  "NotFound"
])

/** Codes for a missing socket, or one that a killed process left. */
const notListening = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK"])

const post = (socketPath: string, body: string): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: "POST", path: "/" }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece
      })
      response.once("error", reject)
      response.once("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error("unknown command of the server"))
      )
    })
    sent.once("error", (error: NodeJS.ErrnoException) =>
      notListening.has(error.code ?? "") ? resolve(null) : reject(error)
    )
    sent.end(body)
  })
