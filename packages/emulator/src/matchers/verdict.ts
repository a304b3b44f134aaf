/** What `expect.extend` hands to a matcher as `this`, as far as it is read here: the same in vitest and in jest. */
export interface Expectation {
  readonly isNot?: boolean
}

export interface Verdict {
  readonly pass: boolean
  readonly message: () => string
}

/** The call as it stands in the test. */
export const callText = ({ isNot = false }: Expectation, matcher: string, args = ""): string =>
  `expect(received).${isNot ? "not." : ""}${matcher}(${args})`

/** The verdict with a message of its call, what is wrong, and the log. */
export const verdict = (pass: boolean, parts: () => ReadonlyArray<string>): Verdict => ({
  pass,
  message: () => parts().join("\n\n")
})
