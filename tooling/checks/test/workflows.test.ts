import { expect, it } from "vitest"
import { checkWorkflow, isWorkflow } from "../src/rules/workflows.ts"

const path = ".github/workflows/ci.yml"
const hash = "0123456789abcdef0123456789abcdef01234567"
const scripts = new Set(["test", "test:crash"])

const workflow = (step: string, more = "") => `permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
${more}    steps:
      - ${step}
`

it.each([
  "run: npx pnpm test",
  "run: npx pnpm -s test:crash --store postgres",
  "run: npx -y pnpm@12 install --frozen-lockfile",
  "run: .ci/run",
  `uses: actions/checkout@${hash} # v5.0.1`
])("a workflow may have the step %s", (step) => {
  expect(checkWorkflow(path, workflow(step), scripts)).toEqual([])
})

it.each([
  ["run: npx pnpm test:gone", '"npx pnpm test:gone" calls no script'],
  ["run: .ci/gone", '".ci/gone" calls no script'],
  ["run: npm test", '"npm test" calls no script'],
  ["uses: actions/checkout", "actions/checkout is not named by the hash"],
  ["uses: actions/checkout@v5", "actions/checkout@v5 is not named by the hash"],
  [`uses: actions/checkout@${hash}`, `actions/checkout@${hash} is not named by the hash`],
  [`uses: actions/checkout@${hash} # v5`, `actions/checkout@${hash} is not named by the hash`]
])("a workflow may not have the step %s", (step, message) => {
  expect(checkWorkflow(path, workflow(step), scripts)).toMatchObject([
    { path, line: 8, rule: "workflow", message: expect.stringContaining(message) }
  ])
})

it("each value of a matrix has to be a command", () => {
  const matrix = "    strategy: { matrix: { command: [test, 'gone --now'] } }\n"
  expect(checkWorkflow(path, workflow(`run: npx pnpm -s $\{{ matrix.command }}`, matrix), scripts)).toMatchObject([
    { message: expect.stringContaining('"npx pnpm -s gone --now"') }
  ])
})

it("a workflow states its permissions, and each job its time-out", () => {
  expect(checkWorkflow(path, "jobs:\n  test:\n    steps: []\n", scripts)).toMatchObject([
    { line: 1, message: "the workflow does not state its permissions" },
    { line: 2, message: "test has no timeout-minutes" }
  ])
})

it("only files in .github/workflows are workflows", () => {
  expect([path, ".github/workflows/a/b.yml", ".github/dependabot.yml", "docs/ci.yml"].map(isWorkflow)).toEqual([
    true,
    false,
    false,
    false
  ])
})
