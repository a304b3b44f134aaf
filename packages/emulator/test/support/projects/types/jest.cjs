const { expect } = require("expect")
const matchers = require("@tapedeck/emulator/jest")

expect.extend(matchers)
expect({}).toHaveValidSignatures("s3cret")
// @ts-expect-error: the secret is missing
expect({}).toHaveValidSignatures()
