// Without a schema, and apart from the explanations, which have some: the console's first load has these texts.

const skipTexts = {
  platform: "the automation is not for recordings of this platform",
  type: "the automation is not for recordings of this type",
  no_ticket: "the recording has no ticket"
} as const

/** Reasons why a delivery is skipped. */
export const skipReasons = ["platform", "type", "no_ticket", "variable_missing"] as const satisfies ReadonlyArray<
  keyof typeof skipTexts | "variable_missing"
>

interface Skipped {
  readonly reason: (typeof skipReasons)[number]
  readonly variables: ReadonlyArray<string>
}

/** Returns the reason why a delivery is skipped, as the end of a sentence. */
export const skipText = ({ reason, variables }: Skipped): string =>
  reason === "variable_missing"
    ? `the URL needs ${variables.join(", ")}, which the recording does not have`
    : skipTexts[reason]

/** Returns whether a reason is known: a newer service can have others. */
export const isSkipReason = (reason: string): reason is Skipped["reason"] =>
  (skipReasons as ReadonlyArray<string>).includes(reason)
