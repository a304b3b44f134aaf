import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isInstalled, packageDirectory, run } from "./support/run.ts"
import { vectors } from "./support/vectors.ts"

const examples = join(packageDirectory, "examples")
const harnesses = join(packageDirectory, "test/snippets")

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tapedeck-snippets-"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const encode = (text: string) => Buffer.from(text).toString("base64")

/** One line a case: what a program of any language can read without a JSON parser. */
const input = vectors
  .map(([, file, { secrets, body_base64, headers, now }]) =>
    [
      file.scheme,
      file.vendor ?? "",
      now,
      secrets.map((secret) => `:${encode(secret)}`).join(","),
      body_base64,
      headers.map(([name, value]) => `${name}:${encode(value)}`).join(",")
    ].join("\t")
  )
  .join("\n")

/** By case: the place of the secret that matched, or -1. */
const expected = vectors.map(
  ([name, , vector]) => `${name}: ${vector.expected.valid ? vector.expected.secret_index : -1}`
)

/** javac ends before the Java machine's second compiler and its threads of garbage collection are worth their cost. */
const quickStart = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]

interface Language {
  readonly name: string
  /** What asks whether it can be run here. */
  readonly toolchain: ReadonlyArray<string>
  /** Runs the example against the cases, in a directory of its own; gives what it printed. */
  readonly answer: (directory: string) => Promise<string>
}

const languages: ReadonlyArray<Language> = [
  {
    name: "Python",
    toolchain: ["python3", "--version"],
    answer: () => run("python3", [join(harnesses, "harness.py"), join(examples, "verify.py")], { input: `${input}\n` })
  },
  {
    name: "Java",
    toolchain: ["javac", "-version"],
    answer: async (cwd) => {
      await run("javac", [...quickStart, "-d", cwd, join(examples, "Verify.java"), join(harnesses, "Harness.java")])
      return run("java", ["-cp", cwd, "Harness"], { input: `${input}\n` })
    }
  },
  {
    name: "Ruby",
    toolchain: ["ruby", "--version"],
    answer: () => run("ruby", [join(harnesses, "harness.rb"), join(examples, "verify.rb")], { input: `${input}\n` })
  },
  {
    name: "Go",
    toolchain: ["go", "version"],
    answer: async (cwd) => {
      await mkdir(join(cwd, "tapedeck"))
      await copyFile(join(examples, "verify.go"), join(cwd, "tapedeck/verify.go"))
      await copyFile(join(harnesses, "harness.go"), join(cwd, "main.go"))
      await writeFile(join(cwd, "go.mod"), "module harness\n\ngo 1.18\n")
      await run("go", ["build", "-o", "harness", "."], { cwd })
      return run(join(cwd, "harness"), [], { input: `${input}\n` })
    }
  },
  {
    name: "PHP",
    toolchain: ["php", "--version"],
    answer: () => run("php", [join(harnesses, "harness.php"), join(examples, "verify.php")], { input: `${input}\n` })
  },
  {
    name: "C#",
    toolchain: ["mcs", "--version"],
    answer: async (cwd) => {
      const program = join(cwd, "harness.exe")
      const sources = [join(examples, "Verify.cs"), join(harnesses, "Harness.cs")]
      await run("mcs", [`-out:${program}`, "-langversion:7.2", "-r:System.Core", ...sources])
      return run("mono", [program], { input: `${input}\n` })
    }
  }
]

/** Ends with an error of types, or does not compile, where a string is given for the list of secrets. */
const misuses: ReadonlyArray<Omit<Language, "answer"> & { readonly errors: (cwd: string) => Promise<Array<string>> }> =
  [
    {
      name: "Python",
      toolchain: ["python3", "--version"],
      errors: async () => {
        const program = `
import importlib.util, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
import hmac
signature = hmac.new(b"k", b"x", "sha256").hexdigest()
headers = {"X-Tapedeck-Signature": "sha256=" + signature, "X-Webhook-Signature": signature}
for call in (verify.verify_folder, verify.verify_audit, verify.verify_standard):
    for secrets in ("k2", "k", "", b"k", None, ["k", None], [b"k"], {"k": 1}, iter(["k"])):
        try:
            print(call(b"x", headers, secrets))
        except TypeError as error:
            print(error)
    for body in ("x", {"a": 1}, None):
        try:
            print(call(body, headers, ["k"]))
        except TypeError as error:
            print(error)
print(verify.verify_folder(b"x", headers, ("other", "k")), verify.verify_audit(bytearray(b"x"), headers, ["k"]))
print(verify.verify_folder(b"x", {"X-Tapedeck-Signature": chr(0xd800)}, ["k"]))
`
        const lines = await run("python3", ["-c", program, join(examples, "verify.py")], {})
        return lines.trim().split("\n")
      }
    },
    {
      name: "Ruby",
      toolchain: ["ruby", "--version"],
      errors: async () => {
        const program = `
require ARGV[0]
["k2", "k", nil, ["k", nil], { "k" => 1 }].each do |secrets|
  %i[verify_folder verify_audit verify_standard].each do |call|
    puts TapedeckWebhook.public_send(call, "x", {}, secrets).inspect
  rescue TypeError => error
    puts error.message
  end
end
puts TapedeckWebhook.verify_standard("x", { "webhook-id" => "\\xFF", "webhook-timestamp" => "1" }, ["k"]).inspect
`
        return (await run("ruby", ["-e", program, join(examples, "verify.rb")], {})).trim().split("\n")
      }
    },
    {
      name: "PHP",
      toolchain: ["php", "--version"],
      errors: async () => {
        const program = `
require $argv[1];
foreach (['k2', 'k', null, ['k', null], ['k', false], [['k']]] as $secrets) {
    foreach (['verifyFolder', 'verifyAudit', 'verifyStandard'] as $call) {
        try {
            var_dump(TapedeckWebhook::$call('x', [], $secrets));
        } catch (TypeError $error) {
            echo "TypeError\n";
        }
    }
}
`
        return (await run("php", ["-r", program, join(examples, "verify.php")], {})).trim().split("\n")
      }
    },
    {
      name: "Java",
      toolchain: ["javac", "-version"],
      errors: async (cwd) => {
        const program = `
import java.util.Map;
class Misuse {
  int folder(byte[] body, Map<String, String> headers) { return Verify.folder(body, headers, "k2", "Tapedeck"); }
  int audit(byte[] body, Map<String, String> headers) { return Verify.audit(body, headers, "k2"); }
  int standard(byte[] body, Map<String, String> headers) { return Verify.standard(body, headers, "k2", 0); }
}
`
        await writeFile(join(cwd, "Misuse.java"), program)
        const sources = [join(examples, "Verify.java"), join(cwd, "Misuse.java")]
        const said = await run("javac", [...quickStart, "-J-Duser.language=en", "-d", cwd, ...sources]).then(
          () => "compiled",
          (error: Error) => error.message
        )
        // It is said twice: in the error's message, and as what was on standard error.
        const errors = new Set(said.match(/^.*Misuse\.java:\d+: error: .*$/gm))
        return [...errors].map((line) => line.replace(/^.*error: /, ""))
      }
    }
  ]

const misused: Readonly<Record<string, ReadonlyArray<string>>> = {
  Python: [
    ...Array.from({ length: 3 }, () => [
      ...Array.from({ length: 9 }, () => "secrets must be a list of strings"),
      ...Array.from({ length: 3 }, () => "body must be the raw bytes")
    ]).flat(),
    "1 0",
    "None"
  ],
  Ruby: [...Array.from({ length: 15 }, () => "secrets must be an array of strings"), "nil"],
  PHP: Array.from({ length: 18 }, () => "TypeError"),
  Java: Array.from({ length: 3 }, () => "incompatible types: String cannot be converted to List<String>")
}

test.for(misuses)(
  "$name: a string in the place of the list of secrets is an error of types",
  async ({ name, toolchain, errors }, { skip }) => {
    const [command = "", ...parameters] = toolchain
    if (!(await isInstalled(command, parameters))) skip(`${command} is not installed`)
    const place = join(directory, `misuse-${name}`)
    await mkdir(place)
    expect(await errors(place)).toEqual(misused[name])
  }
)

test.for(languages)(
  "$name: the example gives the answer of every shared vector",
  async ({ name, toolchain, answer }, { skip }) => {
    const [command = "", ...parameters] = toolchain
    if (!(await isInstalled(command, parameters))) {
      console.log(`skipped: ${name}'s example is not run, because ${command} is not installed here`)
      skip(`${command} is not installed`)
    }
    const place = join(directory, name)
    await mkdir(place)
    const answers = (await answer(place)).trim().split("\n")
    expect(vectors.map(([vector], index) => `${vector}: ${answers[index]?.trim()}`)).toEqual(expected)
  }
)
