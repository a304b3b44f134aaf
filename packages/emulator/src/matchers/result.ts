/** The `this` of a matcher, reduced to the fields that are used: the same in vitest and in jest. */
export interface Expectation {
  readonly isNot?: boolean
}

export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** The matcher call as the test wrote it. */
export const callText = ({ isNot = false }: Expectation, matcher: string, args = ""): string =>
  `expect(received).${isNot ? "not." : ""}${matcher}(${args})`

/** The result with a message: the call, the problem and the log. */
export const result = (pass: boolean, parts: () => ReadonlyArray<string>): MatcherResult => ({
  pass,
  message: () => parts().join("\n\n")
})
