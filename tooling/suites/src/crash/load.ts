export const admin = "ada@acme.test"
export const automations = ["a1", "a2"]

/** What a server under load begins with: an admin, two folders, and an automation for each that calls `url`. */
export const fixturesFor = (url: string) => ({
  users: [{ email: admin, name: "Ada", role: "admin" }],
  folders: [
    { id: "f1", name: "One" },
    { id: "f2", name: "Two" }
  ],
  automations: [
    { id: "a1", folder: "f1", url },
    { id: "a2", folder: "f2", url }
  ]
})
