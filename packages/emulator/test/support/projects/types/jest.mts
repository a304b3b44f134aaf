import * as matchers from "@tapedeck/emulator/jest"
import { expect } from "expect"

expect.extend(matchers)
expect({}).toHaveAttemptsAt("0", "1m")
expect({}).not.toBeDelivered()
// @ts-expect-error: no such matcher
expect({}).toBeDeliverd()
