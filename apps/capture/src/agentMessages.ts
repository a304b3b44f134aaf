/** Question of the recorder's window to the console that opened it, with a port for the answer. */
export interface AgentQuestion {
  readonly tapedeck: "view" | "begin"
}

/** The part of the console's answer to `begin` beside the capture: address of the recording's public page, if the console knows it. */
export interface AgentBegun {
  readonly recording_url?: string
}

export type AgentAnswer = { readonly answer: unknown } | { readonly status: number; readonly message: string }
