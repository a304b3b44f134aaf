import { defineConfig, type UserConfig } from "tsdown"

const shared: UserConfig = {
  platform: "node",
  fixedExtension: false,
  // Workspace packages are bundled from their source.
  inputOptions: { resolve: { conditionNames: ["source", "import", "node", "default"] } },
  dts: false
}

/** What a test runner or Effect brings along stays theirs: a second copy of any would not be the one that the user has. */
const theirs = ["@tapedeck/emulator", "vitest", "expect", /^effect(\/|$)/]

export default defineConfig([
  {
    ...shared,
    // The command and the library, each with all that it needs inside: who installs the package installs nothing else.
    entry: { index: "src/index.ts", main: "src/main.ts" },
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    // The page's files are read beside the code, in the sources and here.
    copy: [{ from: "src/ui/assets" }]
  },
  {
    ...shared,
    entry: { vitest: "src/vitest.ts", effect: "src/effect.ts" },
    deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] }
  },
  {
    ...shared,
    entry: { jest: "src/jest.ts" },
    // jest loads CommonJS unless it is started with Node's flag for modules in its sandbox.
    format: ["esm", "cjs"],
    deps: { neverBundle: theirs, alwaysBundle: ["@tapedeck/signing"] }
  }
])
