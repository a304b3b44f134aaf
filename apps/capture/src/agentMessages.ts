/** Question of the recorder's window to the console that opened it, with a port for the answer. */
export interface AgentQuestion {
  readonly tapedeck: "view" | "begin"
}

export type AgentAnswer = { readonly answer: unknown } | { readonly status: number; readonly message: string }
