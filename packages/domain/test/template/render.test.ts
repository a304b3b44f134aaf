import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Json, type TemplateValues, type TemplateVariable, templateVariables } from "../../src/index.ts"
import { parseTemplate, renderTemplate } from "../../src/template/index.ts"
import { intactJson } from "../intactJson.ts"

const render = (text: string, values: Partial<TemplateValues>): string => {
  const missing = Object.fromEntries(templateVariables.map((name) => [name, null])) as unknown as TemplateValues
  return renderTemplate(Result.getOrThrow(parseTemplate(text, templateVariables)), { ...missing, ...values })!
}

describe("a value", () => {
  const title = 'Say "hi"\\\n{{event}}'
  const errors: Json = ["a", { b: 'c"' }]

  it("is escaped text inside a string", () => {
    expect(render('{"t": "<{{recording.title}}>"}', { "recording.title": title })).toBe(
      String.raw`{"t": "<Say \"hi\"\\\n{{event}}>"}`
    )
  })

  it("is a JSON value outside a string", () => {
    expect(render('{"t": {{recording.title}}}', { "recording.title": title })).toBe(
      String.raw`{"t": "Say \"hi\"\\\n{{event}}"}`
    )
    expect(render("[{{recording.duration}}]", { "recording.duration": 42 })).toBe("[42]")
    expect(render("[{{recording.console_errors}}]", { "recording.console_errors": errors })).toBe(
      String.raw`[["a",{"b":"c\""}]]`
    )
  })

  it("that is not a string is written as its JSON text inside a string", () => {
    expect(render('"{{recording.duration}} s"', { "recording.duration": 42 })).toBe('"42 s"')
    expect(JSON.parse(render('"{{recording.console_errors}}"', { "recording.console_errors": errors }))).toBe(
      JSON.stringify(errors)
    )
  })

  it("that is missing is the empty string inside a string, and null outside (W6)", () => {
    expect(render('{"a": "{{recording.title}}", "b": {{recording.title}}}', {})).toBe('{"a": "", "b": null}')
  })

  it("leaves the rest of the template unchanged", () => {
    expect(render('\n{ "a" :\t1.50 , "\\u0062": {{ event }} }\r\n', { event: "e" })).toBe(
      '\n{ "a" :\t1.50 , "\\u0062": "e" }\r\n'
    )
  })
})

describe("a filter", () => {
  const title = `<b>"it's" & [1](x)</b> *`

  it.each<[string, string]>([
    ["html", "&lt;b&gt;&quot;it&#39;s&quot; &amp; [1](x)&lt;/b&gt; *"],
    ["markdown", String.raw`\<b\>"it's" \& \[1\]\(x\)\</b\> \*`],
    ["url", "%3Cb%3E%22it%27s%22%20%26%20%5B1%5D%28x%29%3C%2Fb%3E%20%2A"],
    ["json", JSON.stringify(title)]
  ])("%s changes the text, which is then escaped for its place", (filter, expected) => {
    const text = render(`{"in": "<{{recording.title | ${filter}}}>", "out": {{recording.title|${filter}}}}`, {
      "recording.title": title
    })
    expect(JSON.parse(text)).toEqual({ in: `<${expected}>`, out: expected })
  })

  it("gets the JSON text of a value that is not a string", () => {
    const values = { "recording.duration": 42, "recording.console_errors": ["<a>"] }
    const text = render('["{{recording.duration | url}}", {{recording.console_errors | html}}]', values)
    expect(JSON.parse(text)).toEqual(["42", "[&quot;&lt;a&gt;&quot;]"])
    expect(JSON.parse(render('"{{recording.console_errors | json}}"', values))).toBe('["<a>"]')
  })

  it("leaves a missing value missing, but for json, whose text is null", () => {
    const text = render('["{{recording.title | html}}", {{recording.title | url}}, "{{recording.title | json}}"]', {})
    expect(JSON.parse(text)).toEqual(["", null, "null"])
  })

  it("gets an array that is already within the limit of arrays", () => {
    const errors = Array.from({ length: 400 }, () => "<".repeat(1_000))
    const text = render("{{recording.console_errors | html}}", { "recording.console_errors": errors })
    expect(JSON.parse(text)).toMatch(/&lt;&quot;,&quot;…&quot;\]$/)
  })
})

/** Text that means something to JSON, to templates or to UTF-16: half a character included. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', "\\", "\\u", '\\"', "{{", "}}", "{{event}}", "{", "}", ",", ":", "\n", "\0", "\u2028"),
      fc.constantFrom("\ud83d", "\ude00", "\ud83d\ude00", "__proto__"),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.string()
    ),
    { maxLength: 8 }
  )
  .map((pieces) => pieces.join(""))

const nestedArrays = fc.integer({ min: 50, max: 1_000 }).map((depth): Json => {
  let value: Json = ["innermost"]
  for (let level = 0; level < depth; level++) value = [value]
  return value
})

const anyJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 4,
    arbitrary: fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(hostileText, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(hostileText, tie("node"), { maxKeys: 4 })
      )
    })).node
  },
  { weight: 1, arbitrary: nestedArrays }
)

const anyValues: fc.Arbitrary<TemplateValues> = fc.record(
  Object.fromEntries(templateVariables.map((name) => [name, anyJson])) as Record<TemplateVariable, fc.Arbitrary<Json>>
)

/** A template as it is written, and what its reader must get for given values. */
interface Example {
  readonly text: string
  readonly expected: (values: TemplateValues) => Json
}

const blank = fc.constantFrom("", " ", "\n", "\t", "\r\n  ")
const variable = fc.constantFrom(...templateVariables)
const placeholder = fc
  .tuple(variable, fc.constantFrom("", " ", "\t "))
  .map(([name, space]) => ({ name, text: `{{${space}${name}${space}}}` }))

/** Literal text in a string, written with JSON's escapes or as it is, and never as the beginning of a placeholder. */
const literalText = fc.tuple(hostileText, fc.boolean()).map(([content, escaped]): Example => {
  const written = escaped
    ? [...content].map((character) => unicodeEscapes(character)).join("")
    : JSON.stringify(content).slice(1, -1).replaceAll("{", "\\u007b")
  return { text: written, expected: () => content }
})

const unicodeEscapes = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join(
    ""
  )

const valueInText = placeholder.map(
  ({ name, text }): Example => ({
    text,
    expected: (values) => {
      const value = values[name]
      if (value === null) return ""
      return typeof value === "string" ? value : JSON.stringify(value)
    }
  })
)

const stringContent = fc.array(fc.oneof(literalText, valueInText), { maxLength: 5 }).map(
  (pieces): Example => ({
    text: pieces.map(({ text }) => text).join(""),
    expected: (values) => pieces.map(({ expected }) => expected(values)).join("")
  })
)

const { node: anyTemplate } = fc.letrec<{ node: Example }>((tie) => ({
  node: fc
    .tuple(
      blank,
      fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          placeholder.map(({ name, text }): Example => ({ text, expected: (values) => values[name] })),
          stringContent.map(({ text, expected }): Example => ({ text: `"${text}"`, expected })),
          fc
            .constantFrom("0", "-1.5e3", "10E-2", "true", "false", "null")
            .map((text): Example => ({ text, expected: () => JSON.parse(text) }))
        ),
        fc.array(tie("node"), { maxLength: 4 }).map(
          (items): Example => ({
            text: `[${items.map(({ text }) => text).join(",")}]`,
            expected: (values) => items.map(({ expected }) => expected(values))
          })
        ),
        fc.array(fc.tuple(stringContent, tie("node")), { maxLength: 4 }).map(
          (members): Example => ({
            // The number before each key keeps any two keys of an object apart, whatever the values.
            text: `{${members.map(([key, value], index) => `"${index}:${key.text}":${value.text}`).join(",")}}`,
            expected: (values) =>
              Object.fromEntries(
                members.map(([key, value], index) => [`${index}:${key.expected(values)}`, value.expected(values)])
              )
          })
        )
      ),
      blank
    )
    .map(([before, { text, expected }, after]): Example => ({ text: before + text + after, expected }))
}))

describe("for any template that is accepted, and any values", () => {
  it("the output parses as JSON, and every value arrives unchanged in its place", () => {
    fc.assert(
      fc.property(anyTemplate, anyValues, ({ text, expected }, values) => {
        const template = Result.getOrThrow(parseTemplate(text, templateVariables))
        const read: Json = JSON.parse(intactJson(renderTemplate(template, values)!))
        expect(JSON.stringify(read)).toBe(intactJson(JSON.stringify(expected(values))))
      }),
      { numRuns: 500 }
    )
  })

  it("the output is well-formed Unicode", () => {
    fc.assert(
      fc.property(anyTemplate, anyValues, ({ text }, values) => {
        expect(renderTemplate(Result.getOrThrow(parseTemplate(text, templateVariables)), values)!.isWellFormed()).toBe(
          true
        )
      })
    )
  })

  const fragment = fc.constantFrom(
    ...'{ } [ ] , : " \\ \\\\ \\" \\u \\u00 \\u0041 0 1 - . e true null a'.split(" "),
    ...["{{event}}", "{{recording.title}}", "{{", "}}", '"a":', '"a"', " ", "\n", "\ud83d", "\ude00"]
  )
  const soup = fc.array(fragment, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(""))
  /** Soup in the places where it is likely to be read: alone, in an array, in a string, as a member. */
  const soupInPlace = fc
    .tuple(soup, fc.constantFrom(["", ""], ["[", "]"], ['"', '"'], ['{"a":', "}"], ['{"', '":1}'], ['["', '"]']))
    .map(([inner, [before, after]]) => before + inner + after)

  it("random fragments are refused, or give JSON for all values", () => {
    let accepted = 0
    fc.assert(
      fc.property(soupInPlace, hostileText, hostileText, (text, event, title) => {
        const template = Result.getOrElse(parseTemplate(text, templateVariables), () => null)
        if (template === null) return
        if (template.parts.length > 1) accepted++
        const values = Object.fromEntries(templateVariables.map((name) => [name, [name]])) as unknown as TemplateValues
        JSON.parse(renderTemplate(template, { ...values, event, "recording.title": title })!)
      }),
      { numRuns: 30_000 }
    )
    expect(accepted).toBeGreaterThan(100)
  })

  it("a text without placeholders is accepted if and only if it is JSON with distinct keys and whole characters", () => {
    fc.assert(
      fc.property(soupInPlace, (text) => {
        fc.pre(!text.includes("{{") && text.isWellFormed())
        const parsed = parseTemplate(text, templateVariables)
        const isJson = parses(text)
        if (Result.isSuccess(parsed)) expect(isJson).toBe(true)
        else if (isJson)
          for (const { message } of parsed.failure) expect(message).toContain("is in this object already")
      }),
      { numRuns: 10_000 }
    )
  })
})

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
