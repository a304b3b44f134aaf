/** The calls of the settings API that whoever is not signed in makes: without a token or a session. */
export const signInPaths: ReadonlyArray<string> = [
  "/api/settings/sign-in",
  "/api/settings/sign-in/link",
  "/api/settings/sign-in/forgotten"
]
