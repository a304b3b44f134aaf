import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { networkPolicy } from "@tapedeck/dispatcher/network"
import { afterAll, afterEach, beforeAll } from "vitest"
import { cert } from "../src/guard/certificate.ts"
import { dialling } from "../src/guard/dialling.ts"
import { emulatorWay } from "../src/guard/emulatorWay.ts"
import { serverWay } from "../src/guard/serverWay.ts"
import { blockedAddresses, blockedUrls, openAddresses } from "../src/guard/urls.ts"
import { closeWorlds } from "../src/hermetic/world.ts"

const trusted = getCACertificates("default")
beforeAll(() => setDefaultCACertificates([...trusted, cert]))
afterAll(() => setDefaultCACertificates(trusted))

const server = serverWay()
afterAll(() => server.close())
afterEach(closeWorlds)

blockedAddresses(server)
blockedAddresses(emulatorWay)
blockedUrls(server)
openAddresses(async (url) => networkPolicy([]).url(url))
dialling()
