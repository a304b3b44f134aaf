const matchers = require("@tapedeck/emulator/jest")

expect.extend(matchers)

const control = async (method, path, body) => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${process.env.EMULATOR_CONTROL}${path}`, {
    method,
    headers,
    body: JSON.stringify(body)
  })
  return response.json()
}

test("CommonJS, without any flag: the emulator is reached over HTTP", async () => {
  await control("POST", "/folders/vip/recordings", { recording: "7d0f3c1e-0000-4000-8000-000000000001" })
  await control("POST", "/clock/advance", { until: "idle" })
  const { deliveries } = await control("GET", "/deliveries")
  expect(deliveries).toHaveLength(1)
  expect(deliveries).toBeDelivered()
  expect(deliveries[0]).toHaveAttemptsAt("0", "1m")
  expect(deliveries[0]).toHaveOutcomes(500, "success")
  expect(deliveries[0]).toHaveValidSignatures("s3cret")
  expect(await control("GET", "/sinks/crm")).toHaveValidSignatures("s3cret")
  expect(() => expect(deliveries[0]).toHaveAttemptsAt("0", "5m")).toThrow("✗  2  5m        1m       success  200")
})
