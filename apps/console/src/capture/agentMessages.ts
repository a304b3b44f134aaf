/** What the recorder's window asks the console that opened it, on a port for the answer. */
export type AgentQuestion =
  | { readonly tapedeck: "view" }
  | { readonly tapedeck: "begin"; readonly idempotencyKey: string }

export type AgentAnswer = { readonly answer: unknown } | { readonly status: number; readonly message: string }
