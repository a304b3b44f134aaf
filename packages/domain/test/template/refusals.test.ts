import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { templateVariables } from "../../src/index.ts"
import { MAX_TEMPLATE_LENGTH, parseTemplate, type TemplateError } from "../../src/template/index.ts"

const errorsOf = (text: string): ReadonlyArray<TemplateError> =>
  Result.getOrThrow(Result.flip(parseTemplate(text, templateVariables)))
const located = (text: string): ReadonlyArray<string> =>
  errorsOf(text).map(({ message, line, column }) => `${line}:${column} ${message}`)
const isAccepted = (text: string): boolean => Result.isSuccess(parseTemplate(text, templateVariables))

describe("a template is accepted (W6)", () => {
  it.each([
    '{"title": {{recording.title}}, "text": "New: {{recording.title}} in {{ folder.name }}"}',
    "{{recording.console_errors}}",
    ' \r\n\t[{{event}}, 1, -0.5e+3, true, null, "", {}, []] ',
    '"{{event}}{{event}}"',
    '"{ {a} }} {\\u007bevent}}"',
    '"a single { and a \\"quoted\\" \\\\{{event}}"',
    '{"a":{{event}}}',
    '{"a":{"b":{{event}}}}',
    '{"recording {{recording.id}}": 1}',
    '{"a{{event}}": 1, "b{{event}}": 2, "c": 3}',
    '{"ab{{event}}ba": 1, "aba": 2}',
    '{"{{event}}a": 1, "{{event}}b": 2, "{{event}}{{event}}c": 3}'
  ])("accepts the text %s", (text) => {
    expect(parseTemplate(text, templateVariables)).toMatchObject({ _tag: "Success" })
  })
})

describe("a template is refused, with line and column, if it", () => {
  it.each([
    ["is empty", "", "1:1 a JSON value or a placeholder must stand here, not the end"],
    ["is blank", " \n ", "2:2 a JSON value or a placeholder must stand here, not the end"],
    ["is not closed", '{"a": 1', '1:8 "," or "}" must stand here, not the end'],
    ["has a string that is not closed", '{"a": "b}', "1:7 this string is not closed"],
    ["goes on after its end", "{} {}", '1:4 nothing can follow here, but "{" does'],
    ["has a comma too many in an object", '{"a": 1,}', '1:9 a key in quotes must stand here, not "}"'],
    ["has a comma too many in an array", "[1,]", '1:4 a JSON value or a placeholder must stand here, not "]"'],
    ["has a key without quotes", "{a: 1}", '1:2 a key in quotes must stand here, not "a"'],
    ["has a value in single quotes", "['a']", `1:2 a JSON value or a placeholder must stand here, not "'"`],
    ["has a comment", "[1, // one\n2]", '1:5 a JSON value or a placeholder must stand here, not "/"'],
    ["has a number that JSON does not know", "[01]", '1:3 "," or "]" must stand here, not "1"'],
    ["has NaN", "[NaN]", '1:2 a JSON value or a placeholder must stand here, not "N"'],
    ["has a byte order mark", "\ufeff{}", '1:1 a JSON value or a placeholder must stand here, not "\ufeff"'],
    ["has a line break in a string", '["a\nb"]', "1:4 a control character in a string must be escaped"],
    ["has a tab in a string", '["\t"]', "1:3 a control character in a string must be escaped"],
    ["has half a character", '["\ud83d{{event}}"]', "1:3 this is half a character (a lone surrogate)"],
    ["has an escape that JSON does not know", '["\\x"]', "1:3 this is not one of JSON's escapes"],
    ["has a placeholder as a key", "{{{event}}: 1}", '1:1 "{{" must be followed by the name of a variable and "}}"'],
    [
      "has a placeholder as a key after a space",
      "{ {{event}}: 1}",
      "1:3 a key in quotes must stand here, not a placeholder"
    ]
  ])("%s", (_, text, error) => {
    expect(located(text)).toEqual([error])
  })

  it.each([
    ["a number before it", "[1{{event}}]", '1:3 "," or "]" must stand here, not a placeholder'],
    ["a minus before it", "[-{{event}}]", '1:2 a JSON value or a placeholder must stand here, not "-"'],
    ["a fraction before it", "[1.{{event}}]", '1:3 "," or "]" must stand here, not "."'],
    ["a number after it", "[{{event}}1]", '1:11 "," or "]" must stand here, not "1"'],
    ["a literal before it", "[true{{event}}]", '1:6 "," or "]" must stand here, not a placeholder'],
    ["a string before it", '["a"{{event}}]', '1:5 "," or "]" must stand here, not a placeholder'],
    ["another placeholder before it", "[{{event}}{{event}}]", '1:11 "," or "]" must stand here, not a placeholder'],
    ["a backslash before it", '["\\{{event}}"]', "1:3 this is not one of JSON's escapes"],
    ["half an escape before it", '["\\u{{event}}"]', "1:3 this is not one of JSON's escapes"],
    ["three quarters of an escape before it", '["\\u00e{{event}}"]', "1:3 this is not one of JSON's escapes"]
  ])("has a placeholder joined to %s", (_, text, error) => {
    expect(located(text)).toEqual([error])
  })

  const noName = '"{{" must be followed by the name of a variable and "}}"'
  it.each([
    ["is not closed in its string", '["{{event"]', `1:3 ${noName}`],
    ["is not closed outside", "[{{event]", `1:2 ${noName}`],
    ["is closed by one brace", '["{{event}"]', `1:3 ${noName}`],
    ["is empty", '["{{}}"]', `1:3 ${noName}`],
    ["has two names", "[{{event event}}]", `1:2 ${noName}`],
    ["holds another", '["{{ {{event}} }}"]', `1:3 ${noName}`],
    ["has three braces", '["{{{event}}}"]', `1:3 ${noName}`],
    ["holds a quote", '["{{ev"ent}}"]', `1:3 ${noName}`],
    ["spans a line break", '["{{\nevent}}"]', `1:3 ${noName}`],
    ["holds an expression", "[{{recording.duration + 1}}]", `1:2 ${noName}`]
  ])("has a placeholder that %s", (_, text, error) => {
    expect(located(text)).toEqual([error])
  })

  it("names unknown variables, and reports all of them", () => {
    expect(located('{\n  "a": "é😀 {{recording.titel}}",\r\n  "b": {{recording}},\n  "c": {{constructor}}\n}')).toEqual(
      [
        "2:12 there is no variable recording.titel (did you mean recording.title?)",
        "3:8 there is no variable recording",
        "4:8 there is no variable constructor"
      ]
    )
  })

  it.each([
    ["recording.titel", "recording.title"],
    ["Recording.Title", "recording.title"],
    ["recording_title", "recording.title"],
    ["recording.customerEmail", "recording.customer_email"],
    ["title", "recording.title"],
    ["customer_email", "recording.customer_email"],
    ["evnt", "event"],
    ["recording.customer", "recording.customer_email"]
  ])("names %s instead of %s: the error says so", (written, meant) => {
    const message = `1:2 there is no variable ${written} (did you mean ${meant}?)`
    expect(located(`[{{${written}}}]`)).toEqual([message])
  })

  it("names an unknown filter, at its place", () => {
    expect(located('{"a": "{{recording.title | htm}}",\n "b": {{event|constructor}}}')).toEqual([
      "1:28 there is no filter htm (did you mean html?)",
      "2:15 there is no filter constructor: there are html, markdown, url, json"
    ])
    expect(located("[{{evnt | Html}}]")).toEqual([
      "1:2 there is no variable evnt (did you mean event?)",
      "1:11 there is no filter Html (did you mean html?)"
    ])
  })

  it.each(["[{{event |}}]", "[{{event | html | json}}]", "[{{| html}}]", "[{{event || html}}]"])(
    "has a filter in a form that there is not: %s",
    (text) => {
      expect(located(text)).toEqual([`1:2 ${noName}`])
    }
  )

  it("has many unknown names: the first twenty errors say what was meant", () => {
    const errors = located(`[${Array.from({ length: 21 }, () => "{{titel}}").join()}]`)
    expect(errors.filter((text) => text.includes("did you mean"))).toEqual([])
    const close = located(`[${Array.from({ length: 21 }, () => "{{evnt}}").join()}]`)
    expect(close.map((text) => text.includes("(did you mean event?)"))).toEqual([...Array(20).fill(true), false])
  })

  it("has both unknown names and a syntax error: both are reported", () => {
    expect(located('{"a": {{nope}}, "b": }')).toEqual([
      "1:7 there is no variable nope",
      '1:22 a JSON value or a placeholder must stand here, not "}"'
    ])
  })

  it("repeats a key, with escapes or without", () => {
    expect(located('{"a": 1, "b": {"a": 2}, "a": 3}')).toEqual(['1:25 the key "a" is in this object already'])
    expect(located('{"a": 1, "\\u0061": 3}')).toEqual(['1:10 the key "a" is in this object already'])
    expect(located('{"__proto__": 1, "__proto__": 3}')).toEqual(['1:18 the key "__proto__" is in this object already'])
  })

  it.each([
    '{"recording.added_to_folder": 1, "{{event}}": 2}',
    '{"{{event}}": 2, "anything": 1}',
    '{"a{{event}}": 1, "abc": 2}',
    '{"{{event}}": 1, "{{event}}": 2}',
    '{"{{event}}": 1, "{{folder.id}}": 2}',
    '{"a{{event}}": 1, "ab{{event}}": 2}',
    '{"{{event}}a": 1, "{{event}}{{event}}": 2}',
    '{"{{event}}\\u0061": 1, "ba": 2}'
  ])("has keys that values could make equal: %s", (text) => {
    expect(errorsOf(text).map(({ message }) => message)).toEqual([
      "this key could become the same as another key of this object"
    ])
  })

  it("has an error, whose line counts every kind of line break, and whose column counts characters", () => {
    for (const lineBreak of ["\n", "\r", "\r\n"]) {
      expect(errorsOf(`[${lineBreak}${lineBreak}"😀", x]`)).toMatchObject([{ line: 3, column: 6 }])
    }
  })

  it("is nested more than 100 levels deep, without a stack overflow", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    expect(isAccepted(nested(100))).toBe(true)
    expect(located(nested(101))).toEqual(["1:101 arrays and objects are nested at most 100 deep"])
    expect(located('{"a":'.repeat(10_000))).toEqual(["1:501 arrays and objects are nested at most 100 deep"])
  })

  it("is longer than 65,535 characters", () => {
    expect(isAccepted(JSON.stringify("x".repeat(MAX_TEMPLATE_LENGTH - 2)))).toBe(true)
    expect(located(JSON.stringify("x".repeat(MAX_TEMPLATE_LENGTH - 1)))).toEqual([
      "1:65536 a template is at most 65535 characters long"
    ])
  })

  it("has thousands of errors: each is reported at its place", () => {
    const unknown = located(`[${"{{x}},".repeat(10_000)}\n"😀{{x}}"]`)
    expect(unknown).toHaveLength(10_001)
    expect(unknown.slice(-2)).toEqual(["1:59996 there is no variable x", "2:3 there is no variable x"])
    expect(located(`{${'"a":1,'.repeat(10_000)}"a":1}`)).toHaveLength(10_000)
  })
})
