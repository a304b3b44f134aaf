export const severityTones = { low: "plain", medium: "warn", high: "bad" } as const
