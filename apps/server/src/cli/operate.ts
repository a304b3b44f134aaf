import type { Written } from "../config/Config.ts"
import type { Asked } from "./commandLine.ts"
import type { OperatorCommand } from "./operatorCommands.ts"

/** Does an operator's command, and gives what the process ends with. Each is loaded when it is asked for. */
export const operate = async (command: OperatorCommand, written: Written, asked: Asked): Promise<number> => {
  switch (command) {
    case "config":
      return (await import("./config.ts")).showConfig(written, asked)
    case "backup":
      return (await import("./backup.ts")).backup(written, asked)
    case "restore":
      return (await import("./backup.ts")).restore(written, asked)
    case "doctor":
      return (await import("./doctor.ts")).doctor(written, asked)
    case "doctor deliveries":
      return (await import("./doctor.ts")).doctorDeliveries(written, asked)
    case "account create":
      return (await import("./administer.ts")).createAccount(written, asked)
    case "account list":
      return (await import("./administer.ts")).listAccounts(written, asked)
    case "account set":
      return (await import("./administer.ts")).setAccount(written, asked)
    case "admin create":
      return (await import("./administer.ts")).createAdmin(written, asked)
    case "migrate":
      return (await import("./migrate.ts")).migrate(written, asked)
  }
}
