import { openApiCapture } from "@tapedeck/contract"
import { expect, it } from "vitest"
import { captureEndpoints } from "../src/capture/endpoints.ts"

it("the capture API's document has every call, except those of tus, with its query parameters", () => {
  const documented = Object.entries(openApiCapture({ vendor: "Tapedeck" }).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters }]) => {
      const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
      return [`${method.toUpperCase()} ${path}`, query]
    })
  )
  const served = captureEndpoints
    .filter(({ body }) => body !== "upload")
    .flatMap(({ methods, parameters = [], path }) =>
      methods.map((method) => [
        `${method} ${path.slice("/api/capture".length).replaceAll(/:(\w+)/g, "{$1}")}`,
        parameters
      ])
    )
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(served))
  expect(documented).toHaveLength(9)
})
