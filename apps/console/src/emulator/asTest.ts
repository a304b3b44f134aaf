import { shellWord, visibleJson } from "../ui/visible.ts"
import { admin, type Scenario, type Step } from "./scenario.ts"

const indented = (value: unknown, by: string): string => visibleJson(value, 2).replaceAll("\n", `\n${by}`)

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1]
] as const

/** The exact time as the matchers read it: `2h 36m`. */
const elapsedText = (ms: number): string => {
  let rest = ms
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count}${unit}`]
  })
  return parts.join(" ") || "0"
}

const title = ({ expected: { attempts, state } }: Scenario): string => {
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`
  return `the delivery is ${state.replace("_", " ")} after ${count}`
}

/** Returns a value as a TypeScript literal. The key `__proto__` is a computed one, because a plain one would not be a property. */
const typeScriptOf = (value: unknown): string =>
  indented(value, "  ").replace(/^( *)"([A-Za-z_]\w*)":/gm, (_, space: string, key: string) =>
    key === "__proto__" ? `${space}["__proto__"]:` : `${space}${key}:`
  )

const onOneLine = (value: object): string => typeScriptOf(value).replace(/\n */g, " ")

const typeScriptStep = (step: Step): string =>
  step === "cancel" ? "await tapedeck.settings.deliveries.cancel(id)" : `await world.clock.advance(${onOneLine(step)})`

const matchers: Readonly<Record<string, string>> = {
  delivered: "toBeDelivered()",
  permanently_failed: "toBePermanentlyFailed()",
  cancelled: "toBeCancelled()"
}

export const asTypeScript = (scenario: Scenario): string => {
  const { expected, folder, recording, start, steps } = scenario
  const { attempts, request, retry, state } = expected
  const isCancelled = steps.includes("cancel")
  const added = `await world.addToFolder(${visibleJson(folder)}, "${recording}")`
  const lines = [
    isCancelled ? `const [id = ""] = ${added}` : added,
    ...steps.map(typeScriptStep),
    "const [delivery] = await world.deliveries()",
    `expect(delivery).${matchers[state] ?? `toMatchObject(${onOneLine({ state, ...(retry !== undefined && { retry }) })})`}`,
    `expect(delivery).toHaveAttemptsAt(${attempts.map(([elapsed]) => `"${elapsedText(elapsed)}"`).join(", ")})`,
    `expect(delivery).toHaveOutcomes(${attempts.map(([, outcome]) => visibleJson(outcome)).join(", ")})`
  ]
  if (request !== undefined) {
    const { body, ...head } = request
    lines.push(
      "const request = delivery?.attempts.at(-1)?.request",
      `expect(request).toMatchObject(${typeScriptOf(head)})`,
      ...(body === undefined ? [] : [`expect(JSON.parse(request?.body ?? "")).toEqual(${typeScriptOf(body)})`])
    )
  }
  return `import { expect, test } from "@tapedeck/emulator/vitest"

test.override({
  worldOptions: ${typeScriptOf(start)}
})

test("${title(scenario)}", async ({ ${isCancelled ? "tapedeck, world" : "world"} }) => {
  ${lines.join("\n  ")}
})
`
}

/** Python's raw literal of a JSON text, which ends at three quotes. */
const pythonOf = (value: unknown): string => `json.loads(r'''${indented(value, "    ").replaceAll("'", "\\u0027")}''')`

const addressPart = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)

const pythonStep = (step: Step): string =>
  step === "cancel"
    ? `call("POST", f"{world['base_url']}/api/settings/deliveries/{id}/cancel", None, world["tokens"]["${admin.email}"])`
    : `call("POST", f"{control}/clock/advance", ${visibleJson(step).replace(":", ": ")})`

export const asPython = (scenario: Scenario, emulatorUrl: string): string => {
  const { expected, folder, recording, start, steps } = scenario
  const seen = [
    '"state": delivery["state"],',
    ...(expected.retry === undefined ? [] : ['"retry": delivery["retry"],']),
    '"attempts": [[one["elapsed_ms"], one["status_code"] or one["outcome"]] for one in delivery["attempts"]],'
  ]
  if (expected.request !== undefined) {
    const { body } = expected.request
    seen.push(
      '"request": {',
      '    "method": request["method"],',
      '    "headers": {name: request["headers"].get(name) for name in expected["request"]["headers"]},',
      ...(body === undefined ? [] : ['    "body": json.loads(request["body"]),']),
      "},"
    )
  }
  return `import json
import os
import urllib.request

EMULATOR = os.environ.get("TAPEDECK_URL", "${emulatorUrl}")


def call(method, url, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        text = response.read()
    return json.loads(text) if text else None


def test_${title(scenario).replaceAll(" ", "_")}():
    start = ${pythonOf(start)}
    expected = ${pythonOf(expected)}
    world = call("POST", f"{EMULATOR}/_emulator/worlds", start)
    control = world["control_url"]
    try:
        (id,) = call("POST", f"{control}/folders/${addressPart(folder)}/recordings", {"recording": "${recording}"})["deliveries"]
${steps.map((step) => `        ${pythonStep(step)}\n`).join("")}        (delivery,) = call("GET", f"{control}/deliveries")["deliveries"]
    finally:
        call("DELETE", control)
${expected.request === undefined ? "" : '    request = delivery["attempts"][-1]["request"]\n'}    assert {
${seen.map((line) => `        ${line}\n`).join("")}    } == expected
`
}

/** A here-document of JSON. The history of an interactive shell may replace what follows \`!\`. */
const documentOf = (value: unknown): string => `<<'JSON'\n${visibleJson(value, 2).replaceAll("!", "\\u0021")}\nJSON`

const curlStep = (step: Step): string =>
  step === "cancel"
    ? `call -X POST -H "Authorization: Bearer $(jq -r '.tokens["${admin.email}"]' <<<"$world")" "$(jq -r .base_url <<<"$world")/api/settings/deliveries/$id/cancel" >/dev/null`
    : `call "$control/clock/advance" -d '${visibleJson(step)}' >/dev/null`

/** The jq program that prints the expected parts of a delivery. */
const jqOf = ({ request, retry }: Scenario["expected"]): string => {
  const names = Object.keys(request?.headers ?? {}).map((name) => visibleJson(name).replaceAll("!", "\\u0021"))
  const parts = [
    "state",
    ...(retry === undefined ? [] : ["retry"]),
    "attempts: [.attempts[] | [.elapsed_ms, .status_code // .outcome]]",
    ...(request === undefined
      ? []
      : [
          `request: (.attempts[-1].request | {method, headers: (.headers | {${names.join(", ")}})${request.body === undefined ? "" : ", body: (.body | fromjson)"}})`
        ])
  ]
  return `.deliveries[0] | {${parts.join(", ")}}`
}

export const asCurl = (scenario: Scenario, emulatorUrl: string): string => {
  const { expected, folder, recording, start, steps } = scenario
  return `# ${title(scenario)}: for bash, curl and jq.
(
set -euo pipefail
call() { curl --silent --show-error --fail-with-body -H 'Content-Type: application/json' "$@"; }
world=$(call "\${TAPEDECK_URL:-${emulatorUrl}}/_emulator/worlds" --data-binary @- ${documentOf(start)}
)
control=$(jq -r .control_url <<<"$world")
trap 'call -X DELETE "$control"' EXIT
id=$(call "$control/folders/${addressPart(folder)}/recordings" -d '{"recording":"${recording}"}' | jq -r '.deliveries[0]')
${steps.map((step) => `${curlStep(step)}\n`).join("")}expected=$(jq --sort-keys . ${documentOf(expected)}
)
found=$(call "$control/deliveries" | jq --sort-keys ${shellWord(jqOf(expected))})
diff <(echo "$expected") <(echo "$found")
echo passed
)
`
}
