import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { parse, stringify } from "yaml"
import type { Event } from "./events.ts"

/** Runs promtool, of Debian's package `prometheus`. Throws if it finds a fault. */
export const promtool = (args: ReadonlyArray<string>, input = ""): string => {
  const { error, status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8", input })
  if (error !== undefined) throw new Error(`promtool cannot be started (apt-get install prometheus): ${error.message}`)
  if (status !== 0) throw new Error(`promtool ${args.join(" ")} found a fault:\n${stdout}${stderr}`)
  return stdout
}

interface Rule {
  readonly alert: string
  readonly for?: string
}

const rulesIn = (file: string): ReadonlyArray<Rule> =>
  (
    parse(readFileSync(file, "utf8")) as { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }> }
  ).groups.flatMap(({ rules }) => rules)

const minutesOf = ({ for: duration = "0m" }: Rule): number => Number(/^(\d+)m$/.exec(duration)?.[1] ?? Number.NaN)

const eventAt = 5

/** One test for each alert: nothing fires before the event, and the alert alone fires when the event has lasted for its time. */
const testOf = (rule: Rule, event: Event) => ({
  name: rule.alert,
  interval: "15s",
  input_series: Object.entries(event).map(([series, [before, after]]) => ({
    series,
    values: `${before}+0x${eventAt * 4 - 1} ${after}+0x200`
  })),
  promql_expr_test: [
    { minutes: `${eventAt - 1}m45s`, firing: [] },
    { minutes: `${eventAt + minutesOf(rule)}m45s`, firing: [rule.alert] }
  ].map(({ firing, minutes }) => ({
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: minutes,
    exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }))
  }))
})

/** The tests of all rules for `promtool test rules`. Throws if an alert has no event, or an event no alert. */
export const testsOf = (file: string, events: Readonly<Record<string, Event>>): string => {
  const rules = rulesIn(file)
  const names = rules.map(({ alert }) => alert)
  const strays = [
    ...names.filter((name) => !(name in events)),
    ...Object.keys(events).filter((name) => !names.includes(name))
  ]
  if (strays.length > 0) throw new Error(`rules and events differ: ${strays.join(", ")}`)
  const tests = rules.map((rule) => testOf(rule, events[rule.alert] ?? {}))
  return stringify({ rule_files: [file], evaluation_interval: "15s", tests })
}
