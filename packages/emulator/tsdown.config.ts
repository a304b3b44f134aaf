import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { consoleFiles } from "@tapedeck/tsconfig/consoleFiles.ts"
import { placesOnly } from "@tapedeck/tsconfig/sourceMap.ts"
import { minify, startUp } from "@tapedeck/tsconfig/startUp.ts"
import { thirdPartyLicenses } from "@tapedeck/tsconfig/thirdPartyLicenses.ts"
import { typesByModule } from "@tapedeck/tsconfig/typesByModule.ts"
import { defineConfig, type UserConfig } from "tsdown"
import { declarations } from "./declarations.ts"

const licenses = thirdPartyLicenses(import.meta.dirname)

const shared: UserConfig = {
  platform: "node",
  fixedExtension: false,
  // Workspace packages are bundled from their source.
  inputOptions: {
    resolve: { conditionNames: ["source", "import", "node", "default"] },
    checks: { pluginTimings: false }
  },
  // To read a property does nothing: what is read and not used may be left out, with its import.
  treeshake: { propertyReadSideEffects: false },
  dts: false
}

/** With all that it needs inside. The client alone is a dependency, so that its errors are the ones that a test imports. */
const whole: UserConfig = {
  ...shared,
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
  plugins: [startUp, licenses],
  minify
}

/** What a test runner or Effect brings along stays theirs: a second copy of any would not be the one that the user has. */
const theirs = [
  "@tapedeck/emulator",
  "@tapedeck/emulator/client",
  "@tapedeck/client",
  "vitest",
  "expect",
  /^effect(\/|$)/
]

export default defineConfig(() => {
  const { entry, plugins } = declarations()
  const types: UserConfig = {
    ...shared,
    dts: { dtsInput: true, emitDtsOnly: true, generator: "oxc" },
    plugins,
    clean: false
  }
  return [
    {
      ...whole,
      entry: { index: "src/index.ts" },
      // The console's files and the demo's are read beside the code, in the sources and here.
      copy: [{ from: consoleFiles(), rename: "console" }, { from: "../fixtures/src/demo/videos" }]
    },
    {
      ...whole,
      entry: { main: "src/main.ts" },
      outputOptions: {
        // One file for the whole start, because each costs Node's loader about 1 ms.
        codeSplitting: {
          groups: [
            { name: "options", test: /\/command\.ts$|\/emulator\/package\.json$/, priority: 1 },
            { name: "run", test: /\/cli\/run\.ts$/ }
          ]
        }
      },
      plugins: [startUp, placesOnly, licenses],
      sourcemap: true
    },
    {
      ...shared,
      plugins: [licenses],
      entry: { vitest: "src/vitest.ts", effect: "src/effect.ts", client: "src/client.ts", connect: "src/connect.ts" },
      deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] }
    },
    {
      ...shared,
      plugins: [licenses],
      entry: { jest: "src/jest.ts" },
      // jest loads CommonJS unless it is started with Node's flag for modules in its sandbox.
      format: ["esm", "cjs"],
      deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] }
    },
    {
      ...types,
      entry: { index: entry("index") },
      deps: { alwaysBundle: [/.*/], onlyBundle: false },
      outputOptions: typesByModule
    },
    {
      ...types,
      entry: { vitest: entry("vitest"), effect: entry("effect"), client: entry("client"), connect: entry("connect") },
      deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] }
    },
    {
      ...types,
      entry: { jest: entry("jest") },
      deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] },
      hooks: {
        // TypeScript wants the types of a CommonJS file under a name of their own.
        "build:done": ({ options: { outDir } }) => copyFile(join(outDir, "jest.d.ts"), join(outDir, "jest.d.cts"))
      }
    }
  ]
})
