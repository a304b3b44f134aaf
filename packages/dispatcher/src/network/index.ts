/** The way over the network. Apart from the rest: undici weighs as much as all else together, and not everybody dials. */

export { InvalidCidr, parseCidrs } from "./addresses.ts"
export { layerNetwork, type NetworkOptions } from "./layerNetwork.ts"
export { networkPolicy } from "./NetworkPolicy.ts"
export { InvalidProxy, parseProxy } from "./proxy.ts"
export { acquireAgent, type NetworkAgent } from "./ReceiverAgent.ts"
export { dnsResolver } from "./resolver.ts"
export { sendOverNetwork } from "./sendOverNetwork.ts"
