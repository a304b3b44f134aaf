import { existsSync } from "node:fs"

/** Chromium without a window takes two thirds of the processor time, where it is a program of its own. */
const withoutWindow = "/usr/bin/chromium-headless-shell"

/** Chromium for tests and screenshots, as Debian installs it. */
export const chromiumPath = existsSync(withoutWindow) ? withoutWindow : "/usr/bin/chromium"
