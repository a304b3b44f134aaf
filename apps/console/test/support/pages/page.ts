/** Notes a value that the page's script observes. */
export type See = (...values: ReadonlyArray<unknown>) => void

/** Waits until a condition is so, for at most some seconds. */
export type Until = (isSo: () => boolean) => Promise<void>

/** A page of a customer's site. */
export interface Page {
  readonly name: string
  /** The page's own script: what it sees must be the same with `capture.js` and without. It is sent to the browser as text. */
  readonly script: (see: See, until: Until) => unknown
  /** HTML before `capture.js`, and in the body. */
  readonly first?: string
  readonly body?: string
  /** Paths of libraries in `ondemand/node_modules`. They are loaded after `capture.js`. */
  readonly libraries?: ReadonlyArray<string>
  readonly headers?: Readonly<Record<string, string>>
  /** Texts that are in the page's log. */
  readonly logs?: ReadonlyArray<string>
  /** Texts that are not in it. */
  readonly hides?: ReadonlyArray<string>
  /** The page's policy keeps `capture.js` from its server. */
  readonly isCut?: boolean
}
