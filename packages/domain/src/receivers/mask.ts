/** The mask of secret values in answers. No header can have it as its value, so that sending it back means "unchanged". */
export const MASK = "••••••••"
