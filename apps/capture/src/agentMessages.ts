/** Question of the recorder's window to the console that opened it, with a port for the answer. */
export interface AgentQuestion {
  readonly tapedeck: "view" | "begin"
}

/**
 * The part of the console's answer to `begin` beside the capture: address of the recording's public page, and the folders that the
 * recording can enter, as far as the console knows them.
 */
export interface AgentBegun {
  readonly recording_url?: string
  readonly folders?: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

/** Key in the browser's storage of the helpdesk whose ticket an agent named last. */
export const lastHelpdeskKey = "tapedeck.helpdesk"

export type AgentAnswer = { readonly answer: unknown } | { readonly status: number; readonly message: string }
