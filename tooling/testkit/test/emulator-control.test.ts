import { suite as account } from "../src/blackbox/account.ts"
import { suite as control } from "../src/blackbox/control.ts"
import { suite as controlVideo } from "../src/blackbox/control-video.ts"
import { suite as fixtureRefusals } from "../src/blackbox/fixture-refusals.ts"
import { suite as fixtures } from "../src/blackbox/fixtures.ts"
import { suite as worlds } from "../src/blackbox/worlds.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [worlds, control, account, controlVideo, fixtures, fixtureRefusals]) suite(emulator)
