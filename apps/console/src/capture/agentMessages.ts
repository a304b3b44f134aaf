/** What the recorder's window asks the console that opened it, on a port for the answer. */
export interface AgentQuestion {
  readonly tapedeck: "view" | "begin"
}

export type AgentAnswer = { readonly answer: unknown } | { readonly status: number; readonly message: string }
