import { type Console, uuid } from "./open.ts"

const screens = [
  "/recordings",
  `/recordings/${uuid(1)}`,
  `/recordings/${uuid(1)} Sharing`,
  `/recordings/${uuid(1)} Console`,
  `/recordings/${uuid(1)} Technical`,
  `/recordings/${uuid(1)} Webhooks`,
  `/recordings/${uuid(2)}`,
  "log event",
  "/recordings/links",
  "/recordings/sites",
  "/folders",
  "/automations",
  "/automations/new",
  "/automations/bugs-to-crm",
  "/deliveries",
  "delivery",
  "/security",
  "/security/destinations",
  "/security/destinations/siem",
  "/security/destinations/new",
  "/people",
  "/account",
  "/personal",
  "/world",
  "/world Sinks",
  "/world Mails",
  "/world Faults",
  "/world Journal",
  "/world Worlds"
]

/** Opens every screen in one tab, with a delivery that has failed once, and an event of a log. What follows a path is the name of a tab there. */
export const eachScreen = async (console: Console, use: (screen: string) => Promise<void>) => {
  const { deliveries } = await console.addToFolder("bugs", uuid(1))
  await console.advance({ next: true })
  for (const screen of screens) {
    const [path = "", tab] = screen.split(" ")
    if (screen === "log event") {
      await console.page
        .getByRole("listbox", { name: "Events" })
        .getByRole("option", { name: "network" })
        .first()
        .click()
    } else if (tab === undefined) await console.go(path === "delivery" ? `/deliveries/${deliveries[0]}` : path)
    else {
      await console.page.getByRole("tab", { name: tab, exact: true }).click()
      await console.page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
    }
    await use(screen)
  }
}
