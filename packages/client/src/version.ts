/** The version of this package, which a test compares with its manifest. */
export const version = "0.0.0"
