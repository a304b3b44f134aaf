/** What the spans of attempts are called, before their kind. */
export const attemptSpan = "deliver"
