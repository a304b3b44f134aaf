import { makeEmulatorServer } from "../serve/EmulatorServer.ts"
import { readLocalFile } from "../world/readLocalFile.ts"
import { type RunningEmulator, runningEmulator, type WorldOptions } from "./RunningEmulator.ts"

/**
 * Starts an emulator in this process. Throws an `EmulatorError` that names all problems of the options or the
 * fixtures. Paths of videos in the fixtures are relative to the working directory.
 */
export const startEmulator = async (options: WorldOptions = {}): Promise<RunningEmulator> =>
  runningEmulator(
    {
      server: await makeEmulatorServer({ allowHosts: [] }),
      readFile: (path) => readLocalFile(process.cwd())(path)
    },
    options
  )
