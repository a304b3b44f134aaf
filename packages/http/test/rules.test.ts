import { describe, expect, test } from "vitest"
import { ruleOf } from "../src/rules.ts"

const rule = (status: number, path: string, message = "", method = "GET") => ruleOf({ method, path, status, message })

describe("The rule by which a request was refused", () => {
  test.each([
    [401, "/api/v2/recordings", "", "GET", "Authentication 3"],
    [403, "/api/v2/recordings", "API access is not enabled for this account", "GET", "General rules 1"],
    [403, "/api/v2/users", "This operation is for admins only", "GET", "Authentication 4"],
    [404, "/api/v2/nothing", "", "GET", "R2"],
    [404, "/api/v2/recordings/x/download", "", "GET", "R5"],
    [404, "/api/v2/recordings/00000000-0000-4000-8000-000000000001/download", "", "GET", "R4"],
    [404, "/api/v1/recordings/00000000-0000-4000-8000-00000000000A", "", "GET", "R4"],
    [404, "/api/v2/users/search", "", "GET", "Errors"],
    [404, "/r/x", "", "GET", "W12"],
    [405, "/api/v2/recordings", "", "POST", "R20"],
    [400, "/api/v2/recordings", "page must be an integer of at least 1", "GET", "R9"],
    [400, "/api/v2/recordings", "provider needs a ticket_id", "GET", "R10"],
    [400, "/api/v2/recordings/x", "The body must not be empty", "PATCH", "R11"],
    [422, "/api/v2/recordings/x", "title must not be blank", "PATCH", "R11"],
    [400, "/api/v2/users/search", "email is missing", "GET", "R16"],
    [409, "/api/v2/recordings/x/download", "", "GET", "R12"],
    [416, "/api/v2/recordings/x/download", "", "GET", "R12"],
    [413, "/api/v2/recordings/x", "", "PATCH", "R20"],
    [429, "/api/v2/recordings", "", "GET", "R18"],
    [403, "/api/settings/users", "This operation is for admins only", "GET", "S1"],
    [404, "/api/settings/folders/x", "", "GET", "S1"]
  ])("%i at %s (%s) is %s %s", (status, path, message, method, expected) => {
    expect(rule(status, path, message, method)).toBe(expected)
  })

  test("is none where a request was not refused", () => {
    expect(rule(200, "/api/v2/recordings")).toBeUndefined()
    expect(rule(206, "/api/v2/recordings/x/download")).toBeUndefined()
  })
})
